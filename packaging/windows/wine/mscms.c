/* Stands in for colour management: wine's lacks WcsCreateIccProfile, which Qt's platform plugin links. No display has a
   profile here. For packaging/windows/try-wine.sh alone; never shipped. */
#include <stddef.h>

#define API __declspec(dllexport)

API void *OpenColorProfileW(void) { return NULL; }
API int CloseColorProfile(void *profile) { (void)profile; return 1; }
API int GetColorProfileFromHandle(void) { return 0; }
API void *WcsCreateIccProfile(void) { return NULL; }
