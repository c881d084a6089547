/* What a bot finds of an operating system: an environment without variables, and no files. */

#include <stddef.h>

/* In place of libc's, which asks the host: without an answer it ends the bot. */
int __wrap___wasi_environ_sizes_get(size_t *count, size_t *size)
{
    *count = *size = 0;
    return 0;
}

/* Of a file, which mmap() would read. */
__attribute__((weak)) long pread(int file, void *into, size_t size, long long from)
{
    (void)file; (void)into; (void)size; (void)from;
    return -1;
}
