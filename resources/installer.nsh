; "Open in Holdfast" on directories and inside them: Windows can't tie a kind of file to a directory, so a journal is
; opened by its marker (see fileAssociations) or by this. Under the same root as the installer's own keys, which is the
; user's or the machine's as chosen at installation.

!define HOLDFAST_VERB "Software\Classes\Directory\shell\Holdfast"
!define HOLDFAST_BACKGROUND_VERB "Software\Classes\Directory\Background\shell\Holdfast"

!macro customInstall
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_VERB}" "" "Open in Holdfast"
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_VERB}" "Icon" '"$appExe"'
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_VERB}\command" "" '"$appExe" "%V"'
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_BACKGROUND_VERB}" "" "Open in Holdfast"
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_BACKGROUND_VERB}" "Icon" '"$appExe"'
  WriteRegStr SHELL_CONTEXT "${HOLDFAST_BACKGROUND_VERB}\command" "" '"$appExe" "%V"'
!macroend

!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "${HOLDFAST_VERB}"
  DeleteRegKey SHELL_CONTEXT "${HOLDFAST_BACKGROUND_VERB}"
!macroend
