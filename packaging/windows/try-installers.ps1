# Installs each Windows installer of dist\ silently, runs the self-test of what it installed, and removes it again.
$ErrorActionPreference = "Stop"
Set-Location (Split-Path -Parent (Split-Path -Parent (Split-Path -Parent $PSCommandPath)))

function Invoke-Quiet([string]$program, [string[]]$arguments) {
    $process = Start-Process $program -ArgumentList $arguments -Wait -PassThru
    if ($process.ExitCode) { throw "$program $arguments ended with $($process.ExitCode)" }
}

function Test-Program([string]$folder) {
    & (Join-Path $folder "kvdesk-cli.exe") --selftest
    if ($LASTEXITCODE) { throw "the self-test in $folder ended with $LASTEXITCODE" }
    # Without a console too, as a double-click starts it.
    Invoke-Quiet (Join-Path $folder "kvdesk.exe") @("--selftest")
}

$setup = (Get-Item dist\kvdesk-*-setup.exe).FullName
$folder = Join-Path $env:LOCALAPPDATA "Programs\kvdesk"
Invoke-Quiet $setup @("/S")
Test-Program $folder
$command = (Get-ItemProperty "HKCU:\Software\Classes\kvdesk.scenario\shell\open\command").'(default)'
if ($command -notlike "*kvdesk.exe*") { throw "scenario files do not open with kvdesk: $command" }
# "_?=" keeps the uninstaller in place, so that it can be waited for.
Invoke-Quiet (Join-Path $folder "uninstall.exe") @("/S", "_?=$folder")
if (Test-Path (Join-Path $folder "_internal")) { throw "the setup's files are still there" }
if (Test-Path "HKCU:\Software\Classes\kvdesk.scenario") { throw "the file type is still there" }

$msi = (Get-Item dist\kvdesk-*-x64.msi).FullName
$folder = Join-Path $env:ProgramFiles "kvdesk"
Invoke-Quiet "msiexec.exe" @("/i", "`"$msi`"", "/qn", "/norestart")
Test-Program $folder
Invoke-Quiet "msiexec.exe" @("/x", "`"$msi`"", "/qn", "/norestart")
if (Test-Path $folder) { throw "the MSI's files are still there" }
"both installers: installed, tried, removed"
