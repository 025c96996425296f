# kvdesk from its source tree, on Windows (packaging/dev.sh is the same for Linux and macOS).
#
#   powershell -ExecutionPolicy Bypass -File packaging\dev.ps1 run [arguments of kvdesk]
#   powershell -ExecutionPolicy Bypass -File packaging\dev.ps1 test [arguments of pytest]
#   powershell -ExecutionPolicy Bypass -File packaging\dev.ps1 setup [run|dev|freeze]
#
# Everything goes into .venv of this tree. $env:KVDESK_PYTHON names the Python to use, $env:KVDESK_VENV another folder.
param([string]$Command = "", [Parameter(ValueFromRemainingArguments)][string[]]$Rest = @())
$ErrorActionPreference = "Stop"

$root = Split-Path -Parent (Split-Path -Parent $PSCommandPath)
$venv = if ($env:KVDESK_VENV) { $env:KVDESK_VENV } else { Join-Path $root ".venv" }
$python = Join-Path $venv "Scripts\python.exe"
$lists = Join-Path $root "packaging\requirements"

function Stop-With([string]$text) {
    [Console]::Error.WriteLine("kvdesk: $text")
    exit 1
}

function Test-Python([string[]]$call) {
    $program, $arguments = $call
    if (-not (Get-Command $program -ErrorAction SilentlyContinue)) { return $false }
    & $program @($arguments | Where-Object { $_ }) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>$null
    return $LASTEXITCODE -eq 0
}

function Find-Python {
    if ($env:KVDESK_PYTHON) { return , @($env:KVDESK_PYTHON) }
    foreach ($call in @("py", "-3"), @("python"), @("python3")) {
        if (Test-Python $call) { return , $call }
    }
    Stop-With "Python 3.11 or newer is missing. Install it from python.org, or name it by KVDESK_PYTHON."
}

function Initialize-Packages([string]$list) {
    $stamp = Join-Path $venv ".kvdesk-$list"
    $files = (Join-Path $lists "$list.txt"), (Join-Path $root "pyproject.toml")
    $wanted = (@($root) + ($files | ForEach-Object { (Get-FileHash $_).Hash })) -join " "
    if ((Test-Path $stamp) -and ((Get-Content $stamp) -eq $wanted)) { return }
    if (-not (Test-Python @($python))) {
        $call = Find-Python
        $program, $arguments = $call
        & $program @($arguments | Where-Object { $_ }) -m venv --clear $venv
        if ($LASTEXITCODE) { Stop-With "no private environment could be made in $venv." }
    }
    [Console]::Error.WriteLine("kvdesk: installing the pinned packages ($list) into $venv")
    & $python -m pip --disable-pip-version-check --quiet install --require-hashes --only-binary :all: -r $files[0]
    if ($LASTEXITCODE) { Stop-With "pip could not install packaging\requirements\$list.txt." }
    & $python -m pip --disable-pip-version-check --quiet install --no-deps --no-build-isolation --no-index --editable $root
    if ($LASTEXITCODE) { Stop-With "kvdesk could not be installed into $venv." }
    # Compiled once here, so that the first start is not the one to do it.
    & $python -m compileall -q (Join-Path $root "kvdesk")
    Set-Content $stamp $wanted
}

$script:failed = @()
function Invoke-Check([string]$name, [string[]]$call) {
    Write-Output "--- $name"
    $program, $arguments = $call
    & (Join-Path $venv "Scripts\$program.exe") @arguments
    if ($LASTEXITCODE) { $script:failed += $name }
}

switch ($Command) {
    "run" {
        Initialize-Packages "run"
        & $python -m kvdesk @Rest
        exit $LASTEXITCODE
    }
    "setup" { Initialize-Packages $(if ($Rest) { $Rest[0] } else { "dev" }) }
    "test" {
        Initialize-Packages "dev"
        Set-Location $root
        Invoke-Check "ruff check" @("ruff", "check", "--quiet", ".")
        Invoke-Check "ruff format" @("ruff", "format", "--quiet", "--check", ".")
        Invoke-Check "mypy" @("mypy")
        Invoke-Check "import contracts" @("lint-imports", "--no-logo")
        if (-not $Rest) { Invoke-Check "coverage of kvdesk/core" @("python", "-m", "pytest", "-q", "tests/core", "--cov", "--cov-report=term") }
        Invoke-Check "pytest" (@("python", "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile") + $Rest)
        if ($script:failed) { Stop-With ("failed: " + ($script:failed -join ", ")) }
    }
    default {
        Get-Content $PSCommandPath -TotalCount 7 | ForEach-Object { $_ -replace "^# ?", "" }
        exit 2
    }
}
