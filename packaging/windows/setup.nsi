; Windows installer, for one user, without administrator rights.
;   makensis -DVERSION=0.1.0 packaging/windows/setup.nsi        (from the tree's top, after packaging/freeze.ps1)
; Silent: kvdesk-VERSION-setup.exe /S [/D=C:\folder]; removal: uninstall.exe /S. Settings and scenario files stay.

Unicode true
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
RequestExecutionLevel user

!include MUI2.nsh
!include FileFunc.nsh
!include WinVer.nsh
!include x64.nsh

!ifndef VERSION
  !error "say -DVERSION=..."
!endif
!ifndef SOURCE
  !define SOURCE "..\..\dist\kvdesk"
!endif
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\kvdesk"
!define CLASSES "Software\Classes"
!define SHCNE_ASSOCCHANGED 0x08000000

Name "kvdesk"
OutFile "..\..\dist\kvdesk-${VERSION}-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\kvdesk"
InstallDirRegKey HKCU "Software\kvdesk\Setup" "Folder"
BrandingText "kvdesk ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "kvdesk"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "kvdesk setup"
VIAddVersionKey CompanyName "The kvdesk authors"
VIAddVersionKey LegalCopyright "MIT licence"

!define MUI_ICON "..\..\build\icons\kvdesk.ico"
!define MUI_UNICON "..\..\build\icons\kvdesk.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\kvdesk.exe"
!insertmacro MUI_PAGE_LICENSE "..\..\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Function .onInit
  ${IfNot} ${RunningX64}
    MessageBox MB_ICONSTOP "kvdesk needs 64-bit Windows." /SD IDOK
    SetErrorLevel 3
    Abort
  ${EndIf}
  ${IfNot} ${AtLeastWin10}
    MessageBox MB_ICONSTOP "kvdesk needs Windows 10 (1809) or newer." /SD IDOK
    SetErrorLevel 3
    Abort
  ${EndIf}
FunctionEnd

Section
  SetOutPath "$INSTDIR"
  ; A program that runs cannot be replaced: say so instead of leaving half of each version.
  ClearErrors
  Delete "$INSTDIR\kvdesk.exe"
  ${If} ${Errors}
    MessageBox MB_ICONSTOP "kvdesk is running. Close it and start the setup again." /SD IDOK
    SetErrorLevel 4
    Abort
  ${EndIf}
  ; Only what a version before this put there.
  RMDir /r "$INSTDIR\_internal"
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\kvdesk.lnk" "$INSTDIR\kvdesk.exe"

  WriteRegStr HKCU "${CLASSES}\.kvdesk" "" "kvdesk.scenario"
  WriteRegStr HKCU "${CLASSES}\.kvdesk" "Content Type" "application/x-kvdesk+json"
  WriteRegStr HKCU "${CLASSES}\kvdesk.scenario" "" "kvdesk scenario"
  WriteRegStr HKCU "${CLASSES}\kvdesk.scenario\DefaultIcon" "" "$INSTDIR\kvdesk.exe,0"
  WriteRegStr HKCU "${CLASSES}\kvdesk.scenario\shell\open\command" "" '"$INSTDIR\kvdesk.exe" "%1"'
  System::Call 'shell32::SHChangeNotify(i ${SHCNE_ASSOCCHANGED}, i 0, p 0, p 0)'

  WriteRegStr HKCU "Software\kvdesk\Setup" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "kvdesk"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\kvdesk.exe,0"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The kvdesk authors"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
SectionEnd

Section "Uninstall"
  ClearErrors
  Delete "$INSTDIR\kvdesk.exe"
  ${If} ${Errors}
    MessageBox MB_ICONSTOP "kvdesk is running. Close it and try again." /SD IDOK
    SetErrorLevel 4
    Abort
  ${EndIf}
  Delete "$INSTDIR\kvdesk-cli.exe"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\uninstall.exe"
  ; Not /r: a folder that holds anything of the user's own stays.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\kvdesk.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\kvdesk\Setup"
  DeleteRegKey HKCU "${CLASSES}\kvdesk.scenario"
  ReadRegStr $0 HKCU "${CLASSES}\.kvdesk" ""
  ${If} $0 == "kvdesk.scenario"
    DeleteRegKey HKCU "${CLASSES}\.kvdesk"
  ${EndIf}
  System::Call 'shell32::SHChangeNotify(i ${SHCNE_ASSOCCHANGED}, i 0, p 0, p 0)'
SectionEnd
