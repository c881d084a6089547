/* The compiler's <stdlib.h> with what its library lacks of glibc's. */

#pragma GCC system_header
#include_next <stdlib.h>

#if defined(_GNU_SOURCE) && !defined(TOURNAMENT_QSORT_R)
#define TOURNAMENT_QSORT_R
#ifdef __cplusplus
extern "C"
#endif
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
#endif
