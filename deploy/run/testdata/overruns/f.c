#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <fcntl.h>
#include "X_F.h"
extern uint8_t *x_shared;
static long n;
static int table[4]; volatile int idx;
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
#define IS(name) (!strcmp(what, name))
void X_F_push(X_F *d) {
    const char *what = getenv("FAULT") ? getenv("FAULT") : "";
    while (X_F_x_avail(d)) {
        float *y = X_F_y(d, 1); const float *x = X_F_x(d);
        for (int i = 0; i < 256; i++) y[i] = x[i];
        if (++n == 500) {
            if (IS("truncate") && (ftruncate(3, 0) || ftruncate(3, 1 << 30)))
                perror("ftruncate");
            if (IS("scribble")) memset(x_shared, 0x41, 1 << 12);
            if (IS("processes")) memset(x_shared + (1 << 12), 0x41, 1 << 12);
            if (IS("edges")) memset(x_shared + (2 << 12), 0x41, 1 << 12);
            if (IS("producer")) memset(x_shared + (3 << 12), 0x41, 1 << 12);
            if (IS("own")) memset(x_shared + (4 << 12), 0x41, 1 << 12);
            if (IS("all")) memset(x_shared, 0x41, 1 << 15);
            if (IS("zero")) memset(x_shared, 0, 5 << 12);
            if (IS("hole")) fallocate(3, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
            if (IS("loop")) { memset(x_shared + (2 << 12), 0x41, 1 << 12); for (;;); }
            if (IS("far")) for (int i = 0; i < 1 << 20; i++) y[i] = 1;
            if (IS("one")) y[256 + idx] = 1;
            if (IS("before")) y[-1 + idx] = 1;
            if (IS("heap")) { volatile char *p = malloc(16); p[16 + idx] = 1; }
            if (IS("index")) table[4 + idx] = 1;
            if (IS("over")) { int big = 2147483647; idx = big + (idx + 1); }
        }
        if (IS("room")) for (int i = 0; i < 4000; i++) y[i] = 1;
        X_F_x_release(d, 1); X_F_y_send(d, 1);
    }
}
