// fail.h: the shared memory of the run, and the end of this process after an error.
#ifndef FAIL_H
#define FAIL_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include "layout.h"

static uint8_t *shared;            // NULL until it is mapped
static x_process_control *process; // entry of this process in it

template <class T> static T *in_shared(uint64_t place) { return reinterpret_cast<T *>(shared + place); }

// fail ends the process with a message for the supervisor. Before the shared memory is mapped, it prints the
// message on standard error.
[[noreturn]] static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...) {
    char text[XRT_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (process)
        memcpy(process->message, text, sizeof text);
    else
        fprintf(stderr, "%s\n", text);
    _exit(XRT_EXIT_FAILED);
}

#endif
