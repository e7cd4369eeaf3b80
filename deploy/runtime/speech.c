/* speech.c: output of kernels. Several kernels share a process and its outputs. Each piece of output through stdio
 * is marked with the running kernel, for the supervisor (words.go). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "internal.h"

#ifdef __GLIBC__

enum { PIECE_BYTES = 2048 }; /* a message with its marks fits into one atomic write to a pipe */

static ssize_t say(void *cookie, const char *text, size_t bytes) {
    const int *fd = cookie;
    size_t done = 0;
    while (done < bytes) {
        char mark[24];
        size_t n = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        int k = x_current ? (int)(x_current->spec - x_kernels) : -1;
        snprintf(mark, sizeof mark, "\036%d\037", k);
        struct iovec parts[3] = {{mark, strlen(mark)}, {(void *)(text + done), n}, {"\036-1\037", 4}};
        if (writev(*fd, parts, 3) < 0)
            return (ssize_t)done;
        done += n;
    }
    return (ssize_t)done;
}

static FILE *open_marked(FILE *old, const int *fd, int mode) {
    FILE *f = fopencookie((void *)fd, "w", (cookie_io_functions_t){.write = say});
    if (!f)
        return old;
    setvbuf(f, NULL, mode, BUFSIZ);
    f->_fileno = *fd; /* for code that reads the descriptor */
    return f;
}

void speech_open(void) {
    static const int out = STDOUT_FILENO, err = STDERR_FILENO;
    stdout = open_marked(stdout, &out, _IOLBF);
    stderr = open_marked(stderr, &err, _IONBF);
}

void speech_flush(void) {
    if (__fpending(stdout) > 0)
        fflush(stdout);
}

#else

void speech_open(void) {}

void speech_flush(void) {}

#endif
