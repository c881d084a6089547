/* The functions of <string.h> and <stdio.h> that write as much as they find, in the place of libc's, which the compiler
   doesn't look into. */

#include "finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int __real_vsnprintf(char *, size_t, const char *, va_list);

/* A text's size with the zero at its end, after a look at each of its bytes; of at most so many. */
static size_t text_size(const char *text, size_t most)
{
    size_t size = 0;
    while (size < most) {
        check_bytes(text + size, 1, 0);
        if (!text[size++])
            break;
    }
    return size;
}

size_t __wrap_strlen(const char *text) { return text_size(text, SIZE_MAX) - 1; }

char *__wrap_strcpy(char *to, const char *from)
{
    size_t size = text_size(from, SIZE_MAX);
    check_bytes(to, size, 1);
    return memmove(to, from, size);
}

char *__wrap_stpcpy(char *to, const char *from) { return __wrap_strcpy(to, from) + text_size(from, SIZE_MAX) - 1; }

char *__wrap_strncpy(char *to, const char *from, size_t most)
{
    size_t size = text_size(from, most);
    check_bytes(to, most, 1);
    memmove(to, from, size);
    memset(to + size, 0, most - size);
    return to;
}

char *__wrap_strcat(char *to, const char *from)
{
    __wrap_strcpy(to + text_size(to, SIZE_MAX) - 1, from);
    return to;
}

char *__wrap_strncat(char *to, const char *from, size_t most)
{
    size_t size = text_size(from, most);
    size_t length = size && !from[size - 1] ? size - 1 : size;
    char *end = to + text_size(to, SIZE_MAX) - 1;
    check_bytes(end, length + 1, 1);
    memmove(end, from, length);
    end[length] = 0;
    return to;
}

int __wrap_vsnprintf(char *to, size_t most, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int length = __real_vsnprintf(0, 0, format, again);
    va_end(again);
    if (length >= 0 && most)
        check_bytes(to, (size_t)length < most ? (size_t)length + 1 : most, 1);
    return __real_vsnprintf(to, most, format, values);
}
