/* The compiler's <time.h> with clock() as on Linux: a million to a second. Processor time is the one time there is. */

#pragma GCC system_header
#include_next <time.h>

#undef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC ((clock_t)1000000)

#ifndef CLOCK_PROCESS_CPUTIME_ID
#define CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC
#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC
#define CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC
#define CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME
#endif
