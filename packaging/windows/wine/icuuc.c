/* Stands in for Windows' own ICU, which wine has not and Qt6Core links. Qt asks it only for text in old code pages:
   none is offered here. For packaging/windows/try-wine.sh alone; never shipped. */
#include <stdint.h>
#include <stddef.h>

#define API __declspec(dllexport)
#define U_UNSUPPORTED_ERROR 16

API void UCNV_FROM_U_CALLBACK_SUBSTITUTE(void) {}
API void UCNV_TO_U_CALLBACK_SUBSTITUTE(void) {}
API void *ucnv_open(const char *name, int *error) { (void)name; *error = U_UNSUPPORTED_ERROR; return NULL; }
API void ucnv_close(void *converter) { (void)converter; }
API void ucnv_reset(void *converter) { (void)converter; }
API int8_t ucnv_getMaxCharSize(const void *converter) { (void)converter; return 1; }
API const char *ucnv_getName(const void *converter, int *error) { (void)converter; *error = U_UNSUPPORTED_ERROR; return NULL; }
API void ucnv_getToUCallBack(void) {}
API void ucnv_getFromUCallBack(void) {}
API void ucnv_setToUCallBack(void) {}
API void ucnv_setFromUCallBack(void) {}
API void ucnv_cbToUWriteUChars(void) {}
API void ucnv_cbFromUWriteUChars(void) {}
API void ucnv_toUnicode(void) {}
API void ucnv_fromUnicode(void) {}
API int32_t ucnv_toUCountPending(void) { return 0; }
API int32_t ucnv_fromUCountPending(void) { return 0; }
API const char *ucnv_getStandardName(void) { return NULL; }
API const char *ucnv_getAvailableName(int32_t at) { (void)at; return NULL; }
API int32_t ucnv_countAvailable(void) { return 0; }
