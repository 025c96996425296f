# Builds the frozen program dist\kvdesk on Windows and runs its self-test (packaging/freeze.sh elsewhere).
#   powershell -ExecutionPolicy Bypass -File packaging\freeze.ps1
$ErrorActionPreference = "Stop"
$root = Split-Path -Parent (Split-Path -Parent $PSCommandPath)
Set-Location $root

function Invoke-Step([string]$program, [string[]]$arguments) {
    & $program @arguments
    if ($LASTEXITCODE) { throw "$program ended with $LASTEXITCODE" }
}

$env:KVDESK_VENV = Join-Path $root "build\venv"
Invoke-Step "powershell" @("-ExecutionPolicy", "Bypass", "-File", "packaging\dev.ps1", "setup", "freeze")
$scripts = Join-Path $env:KVDESK_VENV "Scripts"
Invoke-Step "$scripts\python.exe" @("packaging\icons.py", "build\icons")
Invoke-Step "$scripts\python.exe" @("packaging\licences.py", "build\licences")
Invoke-Step "$scripts\python.exe" @("packaging\build_facts.py", "build")
if (Test-Path dist\kvdesk) { Remove-Item -Recurse -Force dist\kvdesk }
Invoke-Step "$scripts\pyinstaller.exe" @("--noconfirm", "--log-level", "WARN", "--distpath", "dist", "--workpath", "build\pyinstaller", "packaging\kvdesk.spec")

# numpy's own copy of OpenBLAS beside the one that the analysis found, byte for byte the same: one is enough.
$libraries = Get-ChildItem dist\kvdesk\_internal -Recurse -Filter "libscipy_openblas*.dll"
$libraries | Where-Object { $_.DirectoryName -notlike "*numpy.libs" } | Remove-Item

$env:QT_QPA_PLATFORM = "offscreen"
Invoke-Step "dist\kvdesk\kvdesk-cli.exe" @("--selftest")
Remove-Item Env:QT_QPA_PLATFORM
"{0:N0} MiB on disk" -f ((Get-ChildItem dist\kvdesk -Recurse | Measure-Object Length -Sum).Sum / 1MB)
