/* transport.c: the ways to access a board: mapped memory, character devices, a serial line, and a model. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "design.h"
#include "registers.h"
#include "xopt_board.h"

enum { LANES = sizeof xopt_streams / sizeof *xopt_streams, MAPPED = 1 << 16 };

static int failed(struct xopt_transport *t, const char *what) {
    if (snprintf(t->error, sizeof t->error, "%s: %s", what, strerror(errno)) < 0) /* truncates a long message */
        t->error[0] = 0;
    return -1;
}

/* moment implements pause for a board. */
static int moment(void *self, uint64_t cycle) {
    (void)self, (void)cycle;
    const struct timespec t = {0, 20000};
    nanosleep(&t, NULL);
    return 0;
}

/* option copies the value of an option after the path, and reports whether the option exists. Options have the form
 * name=value and are separated by commas. */
static int option(const char *where, const char *name, char *value, size_t size) {
    const size_t length = strlen(name);
    for (const char *at = strchr(where, ','); at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=') {
            const char *from = at + 2 + length;
            snprintf(value, size, "%.*s", (int)strcspn(from, ","), from);
            return 1;
        }
    return 0;
}

static unsigned long long number(const char *where, const char *name, unsigned long long usual) {
    char text[64];
    return option(where, name, text, sizeof text) ? strtoull(text, NULL, 0) : usual;
}

/* Mapped memory. */

struct map {
    volatile uint32_t *registers;
    size_t bytes;
};

static int map_read(void *self, uint32_t address, uint32_t *value) {
    *value = ((struct map *)self)->registers[address / 4];
    return 0;
}

static int map_write(void *self, uint32_t address, uint32_t value) {
    ((struct map *)self)->registers[address / 4] = value;
    return 0;
}

static void map_close(void *self) {
    struct map *m = self;
    munmap((void *)m->registers, m->bytes);
    free(m);
}

static int open_map(struct xopt_transport *t, const char *path, const char *where) {
    struct map *m = calloc(1, sizeof *m);
    const int file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    if (!m || file < 0) {
        free(m);
        return failed(t, path);
    }
    m->bytes = number(where, "size", MAPPED);
    if (m->bytes < XOPT_STREAMS + 16 * LANES) {
        snprintf(t->error, sizeof t->error, "size=%zu is too small for the registers", m->bytes);
        close(file);
        free(m);
        return -1;
    }
    m->registers = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)number(where, "offset", 0));
    close(file);
    if (m->registers == MAP_FAILED) {
        free(m);
        return failed(t, path);
    }
    t->self = m, t->read = map_read, t->write = map_write, t->close = map_close, t->pause = moment, t->what = "board";
    return 0;
}

/* Character devices. */

struct device {
    struct xopt_transport *t;
    int registers, streams[LANES];
};

static int device_read(void *self, uint32_t address, uint32_t *value) {
    struct device *d = self;
    return pread(d->registers, value, 4, address) == 4 ? 0 : failed(d->t, "a register of the device");
}

static int device_write(void *self, uint32_t address, uint32_t value) {
    struct device *d = self;
    return pwrite(d->registers, &value, 4, address) == 4 ? 0 : failed(d->t, "a register of the device");
}

enum { WORD_TIMEOUT = 10000 /* ms in which the rest of a word must arrive */ };

/* device_move moves complete words of a stream. After a part of a word has moved, it waits for the rest. */
static long device_move(struct device *d, unsigned stream, uint8_t *words, size_t bytes) {
    const size_t word = xopt_streams[stream].bus;
    const int input = xopt_streams[stream].input, file = d->streams[stream];
    struct pollfd ready = {.fd = file, .events = input ? POLLOUT : POLLIN};
    size_t moved = 0;
    for (;;) {
        const size_t left = moved == 0 ? bytes : (word - moved % word) % word;
        const long n = left == 0 ? 0 : input ? write(file, words + moved, left) : read(file, words + moved, left);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return failed(d->t, xopt_streams[stream].name);
        if (n > 0)
            moved += (size_t)n;
        if (moved % word == 0)
            return (long)moved;
        if (n == 0 || poll(&ready, 1, WORD_TIMEOUT) == 0) {
            snprintf(d->t->error, sizeof d->t->error, "%s ends within a word of %zu bytes", xopt_streams[stream].name,
                     word);
            return -1;
        }
    }
}

static long device_send(void *self, unsigned stream, const void *words, size_t bytes) {
    return device_move(self, stream, (uint8_t *)(uintptr_t)words, bytes);
}

static long device_receive(void *self, unsigned stream, void *words, size_t bytes) {
    struct device *d = self;
    struct pollfd ready = {.fd = d->streams[stream], .events = POLLIN};
    if (bytes == 0 || poll(&ready, 1, 0) <= 0)
        return 0;
    return device_move(d, stream, words, bytes);
}

static void device_close(void *self) {
    struct device *d = self;
    for (unsigned i = 0; i < LANES; i++)
        if (d->streams[i] >= 0)
            close(d->streams[i]);
    close(d->registers);
    free(d);
}

static int open_device(struct xopt_transport *t, const char *path, const char *where) {
    struct device *d = calloc(1, sizeof *d);
    unsigned given = 0;
    if (!d)
        return failed(t, path);
    d->t = t;
    for (unsigned i = 0; i < LANES; i++)
        d->streams[i] = -1;
    d->registers = open(path, O_RDWR | O_CLOEXEC);
    if (d->registers < 0) {
        failed(t, path);
        device_close(d);
        return -1;
    }
    for (unsigned i = 0; i < LANES; i++) {
        char of[1024];
        if (!option(where, xopt_streams[i].name, of, sizeof of))
            continue;
        given++;
        d->streams[i] = open(of, (xopt_streams[i].input ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
        if (d->streams[i] < 0) {
            failed(t, of);
            device_close(d);
            return -1;
        }
    }
    if (given != 0 && given != LANES) {
        snprintf(t->error, sizeof t->error, "%u of %u streams have devices: set a device for each, or for none", given,
                 (unsigned)LANES);
        device_close(d);
        return -1;
    }
    t->self = d, t->read = device_read, t->write = device_write, t->close = device_close, t->pause = moment;
    if (given > 0)
        t->send = device_send, t->receive = device_receive;
    t->what = "board";
    return 0;
}

/* A serial line. To write, the host sends W, the address (two bytes) and the value (four), and receives an A. To
 * read, it sends R and the address, and receives the value. The lowest byte comes first. */

struct serial {
    struct xopt_transport *t;
    int line;
};

static int serial_ask(struct serial *s, const uint8_t *say, size_t n, uint8_t *hear, size_t want) {
    if (write(s->line, say, n) != (long)n)
        return failed(s->t, "writing to the serial line");
    for (size_t got = 0; got < want;) {
        struct pollfd ready = {.fd = s->line, .events = POLLIN};
        if (poll(&ready, 1, 2000) <= 0) {
            snprintf(s->t->error, sizeof s->t->error,
                     "the board does not answer (check the cable, the baud rate and the bitstream)");
            return -1;
        }
        const long more = read(s->line, hear + got, want - got);
        if (more <= 0)
            return failed(s->t, "reading from the serial line");
        got += (size_t)more;
    }
    return 0;
}

static int serial_read(void *self, uint32_t address, uint32_t *value) {
    const uint8_t say[] = {'R', (uint8_t)address, (uint8_t)(address >> 8)};
    uint8_t hear[4];
    if (serial_ask(self, say, sizeof say, hear, sizeof hear) != 0)
        return -1;
    *value = (uint32_t)hear[0] | (uint32_t)hear[1] << 8 | (uint32_t)hear[2] << 16 | (uint32_t)hear[3] << 24;
    return 0;
}

static int serial_write(void *self, uint32_t address, uint32_t value) {
    const uint8_t say[] = {'W', (uint8_t)address, (uint8_t)(address >> 8), (uint8_t)value, (uint8_t)(value >> 8),
                           (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    uint8_t hear[1];
    return serial_ask(self, say, sizeof say, hear, sizeof hear);
}

static void serial_close(void *self) {
    close(((struct serial *)self)->line);
    free(self);
}

static speed_t speed(unsigned long long baud) {
    switch (baud) {
    case 9600: return B9600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 921600: return B921600;
    case 1000000: return B1000000;
    case 2000000: return B2000000;
    case 3000000: return B3000000;
    }
    return B0;
}

static int open_serial(struct xopt_transport *t, const char *path, const char *where) {
    struct serial *s = calloc(1, sizeof *s);
    struct termios raw;
    const speed_t baud = speed(number(where, "baud", 115200));
    if (!s || baud == B0) {
        free(s);
        snprintf(t->error, sizeof t->error, "expected baud=9600, 115200, 230400, 921600, 1000000, 2000000 or 3000000");
        return -1;
    }
    s->t = t;
    s->line = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (s->line < 0 || tcgetattr(s->line, &raw) != 0) {
        failed(t, path);
        if (s->line >= 0)
            close(s->line);
        free(s);
        return -1;
    }
    cfmakeraw(&raw);
    cfsetspeed(&raw, baud);
    tcsetattr(s->line, TCSANOW, &raw);
    tcflush(s->line, TCIOFLUSH);
    t->self = s, t->read = serial_read, t->write = serial_write, t->close = serial_close, t->pause = moment;
    t->what = "board";
    return 0;
}

/* A model. */

static int open_model(struct xopt_transport *t, const char *path, const char *where) {
    char schedule[1024] = "", file[1100];
    int (*begin)(struct xopt_transport *, const char *);
    snprintf(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "xopt_model_open") : NULL;
    if (!found) {
        snprintf(t->error, sizeof t->error, "%s", dlerror());
        return -1;
    }
    memcpy(&begin, &found, sizeof begin);
    option(where, "schedule", schedule, sizeof schedule);
    return begin(t, schedule);
}

int xopt_open_transport(struct xopt_transport *t, const char *where) {
    static const struct {
        const char *kind;
        int (*open)(struct xopt_transport *, const char *path, const char *where);
    } kinds[] = {{"map:", open_map}, {"device:", open_device}, {"serial:", open_serial}, {"model:", open_model}};
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t n = strlen(kinds[i].kind);
        char path[1024];
        if (strncmp(where, kinds[i].kind, n) != 0)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(where + n, ","), where + n);
        return kinds[i].open(t, path, where);
    }
    snprintf(t->error, sizeof t->error, "expected map:PATH, device:PATH, serial:PATH or model:PATH");
    return -1;
}
