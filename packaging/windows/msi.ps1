# Builds dist\kvdesk-VERSION-x64.msi with WiX 3 (packaging/windows/msi.sh does it with wixl elsewhere).
$ErrorActionPreference = "Stop"
Set-Location (Split-Path -Parent (Split-Path -Parent (Split-Path -Parent $PSCommandPath)))
$version = (Select-String '__version__ = "(.+)"' kvdesk\__init__.py).Matches[0].Groups[1].Value
$wix = Join-Path $env:WIX "bin"

function Invoke-Step([string]$program, [string[]]$arguments) {
    & (Join-Path $wix $program) @arguments
    if ($LASTEXITCODE) { throw "$program ended with $LASTEXITCODE" }
}

$defines = "-dSourceDir=dist\kvdesk", "-dIcons=build\icons", "-dVersion=$version"
Invoke-Step "heat.exe" @("dir", "dist\kvdesk", "-nologo", "-ag", "-srd", "-sreg", "-scom", "-cg", "Program", "-dr", "INSTALLDIR", "-var", "var.SourceDir", "-o", "build\files.wxs")
Invoke-Step "candle.exe" (@("-nologo", "-arch", "x64") + $defines + @("-o", "build\", "packaging\windows\kvdesk.wxs", "build\files.wxs"))
Invoke-Step "light.exe" @("-nologo", "-o", "dist\kvdesk-$version-x64.msi", "build\kvdesk.wixobj", "build\files.wixobj")
