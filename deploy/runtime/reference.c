/* reference.c: the reference load. Its six probes are fixed pieces of work that alternate with the kernels of a
 * process on its processor. Each probe uses different units of a core, or a different level of memory. Any cause
 * that slows a kernel slows at least one probe. Such causes are other work on the same core, in its shared caches, or
 * on the way to memory. With several processes, a turn also measures the distance of the next process's core. A turn
 * takes less than 0.1 ms. There is one turn in each time frame, and at least one in 25 ms. In virtual time, there is
 * one turn in 5 ms of this machine's time, because kernels on cores run in this time. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "internal.h"

#ifdef XRT_REFERENCE

enum {
    CHAIN_ROUNDS = 8000,
    TEXT_BYTES = 128, /* pattern that the branch predictor learns in a turn */
    TEXT_PASSES = 40,
    MULTIPLY_ROUNDS = 4000,
    NEAR_FLOATS = 1024, /* floats in each of two arrays, which fit into the first-level cache */
    NEAR_PASSES = 160,
    MIDDLE_BYTES = 128 << 10, /* fits into the second-level cache */
    MIDDLE_PASSES = 6,
    FAR_STEP = 128 << 10, /* bytes read in a turn */
    BETWEEN_MS = 25, /* interval of turns if frames are longer */
    BETWEEN_VIRTUAL_MS = 5,
    CALLS = 64, /* calls of reference_due between readings of the clock in virtual time */
    LINE = 64,
#ifdef __x86_64__
    FAR_BYTES = 1 << 20, /* more than all caches, so that a turn evicts its data */
#else
    FAR_BYTES = 64 << 20, /* exceeds all caches */
#endif
};

typedef float vector __attribute__((vector_size(16)));

static struct x_reference *reference;
static uint32_t last; /* frame of the last turn, plus 1 */
static uint64_t due; /* time of the next turn in the same frame */
static vector *near_a, *near_b;
static uint8_t *middle, *far, *letters;
static size_t far_at;
static volatile uint64_t never_read;

/* leave flushes lines from all caches if the processor permits it. */
static void leave(const uint8_t *from, size_t bytes) {
#ifdef __x86_64__
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_ia32_clflush(from + i);
#else
    (void)from;
    (void)bytes;
#endif
}

/* filled allocates memory with pages of its own, aligned to a line. */
static void *filled(size_t bytes) {
    uint8_t *p = process_alloc(bytes + LINE, 1);
    p += LINE - (uintptr_t)p % LINE;
    memset(p, 1, bytes);
    return p;
}

void reference_open(void) {
    reference = shared_at(x_reference_offset[x_self]);
    near_a = filled(NEAR_FLOATS * sizeof(float));
    near_b = filled(NEAR_FLOATS * sizeof(float));
    middle = filled(MIDDLE_BYTES);
    far = filled(FAR_BYTES);
    letters = filled(TEXT_BYTES);
    for (uint32_t i = 0, r = 1; i < TEXT_BYTES; i++, r = r * 1664525u + 1013904223u)
        letters[i] = (uint8_t)(r >> 24);
    leave(far, FAR_BYTES);
}

static void chain(void) {
    uint64_t x = never_read | 1;
    for (int i = 0; i < CHAIN_ROUNDS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    never_read = x;
}

/* step returns the next value of a chain of multiplications. */
static inline uint64_t step(uint64_t x) { return (x ^ x >> 27) * 0x2545f4914f6cdd1du; }

/* multiply runs enough chains to keep the multiplier busy. */
static void multiply(void) {
    uint64_t a = never_read | 1, b = a + 2, c = a + 4, d = a + 6, e = a + 8, f = a + 10, g = a + 12, h = a + 14;
    for (int i = 0; i < MULTIPLY_ROUNDS; i++) {
        a = step(a);
        b = step(b);
        c = step(c);
        d = step(d);
        e = step(e);
        f = step(f);
        g = step(g);
        h = step(h);
    }
    never_read = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

/* near works like filters and transforms: it multiplies and adds vectors in the first-level cache. */
static void near(void) {
    enum { VECTORS = NEAR_FLOATS * sizeof(float) / sizeof(vector) };
    const vector *x = near_a, *y = near_b;
    vector a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
    for (int pass = 0; pass < NEAR_PASSES; pass++) {
        for (size_t i = 0; i < VECTORS; i += 8) {
            a += x[i] * y[i];
            b += x[i + 1] * y[i + 1];
            c += x[i + 2] * y[i + 2];
            d += x[i + 3] * y[i + 3];
            e += x[i + 4] * y[i + 4];
            f += x[i + 5] * y[i + 5];
            g += x[i + 6] * y[i + 6];
            h += x[i + 7] * y[i + 7];
        }
        __asm__ volatile("" ::: "memory"); /* each pass loads the data again */
    }
    a += b + c + d + e + f + g + h;
    never_read += a[0] != 0;
}

/* branches works like parsers and interpreters: its jumps depend on data. */
static void branches(void) {
    uint32_t a = (uint32_t)never_read | 1, b = 2;
    for (int pass = 0; pass < TEXT_PASSES; pass++)
        for (int i = 0; i < TEXT_BYTES; i++) {
            switch (letters[i] & 15) {
            case 0: a += b; break;
            case 1: b ^= a; break;
            case 2: a = a << 1 | a >> 31; break;
            case 3: b += 7; break;
            case 4: a -= 3; break;
            case 5: b = ~b; break;
            case 6: a ^= 0x55u; break;
            case 7: b -= a; break;
            case 8: a += 11; break;
            case 9: b = b << 3 | b >> 29; break;
            case 10: a ^= b >> 2; break;
            case 11: b |= 1; break;
            case 12: a += letters[(i + 1) % TEXT_BYTES]; break;
            case 13: b += a >> 5; break;
            case 14: a = ~a; break;
            default: b ^= 0x33u; break;
            }
            if (letters[i] & 16)
                a += b ^ 5;
            if (letters[i] & 32)
                b -= a & 9;
        }
    never_read = a ^ b;
}

static uint64_t lines(const uint8_t *from, size_t bytes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i += LINE)
        sum += *(const volatile uint8_t *)(from + i);
    return sum;
}

static void second_cache(void) {
    for (int pass = 0; pass < MIDDLE_PASSES; pass++)
        never_read += lines(middle, MIDDLE_BYTES);
}

static void memory(void) {
    never_read += lines(far + far_at, FAR_STEP);
}

static void memory_left(void) {
    leave(far + far_at, FAR_STEP);
    far_at = (far_at + FAR_STEP) % FAR_BYTES;
}

/* reference_beat writes the chain that the previous process reads, between calls of kernels. Recently written data
 * are in this core's first-level cache, wherever they were before. */
void reference_beat(void) {
    for (uint64_t i = 0; i < XRT_LINES; i++)
        *(volatile uint64_t *)&reference->lines[i * (XRT_LINE_DISTANCE / 8)] = (5 * i + 3) % XRT_LINES;
}

/* settle waits for all earlier reads. Otherwise the processor may read the clock before them. */
static void settle(void) {
#ifdef __x86_64__
    __builtin_ia32_lfence();
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* distance measures the time for reading data that the next process has just written. Each line contains the index
 * of the next line. The host of a virtual machine moves its processors, so that they share a cache only at times. */
static uint64_t distance(void) {
    size_t other = ((size_t)x_self + 1) % x_process_count;
    const struct x_reference *r = shared_at(x_reference_offset[other]);
    if (other == (size_t)x_self || atomic_load_explicit(&r->taken, memory_order_acquire) == 0)
        return 0;
    settle();
    uint64_t begin = clock_ticks(), at = 0;
    settle();
    for (int i = 0; i < XRT_LINES; i++)
        at = *(const volatile uint64_t *)&r->lines[at % XRT_LINES * (XRT_LINE_DISTANCE / 8)];
    settle();
    uint64_t end = clock_ticks();
    never_read += at;
    return end - begin;
}

/* reference_turn measures the times of all probes. Probes that use memory come first, so that their cache lines are
 * older than the lines of the other probes. */
void reference_turn(void) {
    static void (*const probes[XRT_PROBES])(void) = {memory, second_cache, near, multiply, chain, branches};
    uint32_t frame = atomic_load_explicit(&run_control()->frame, memory_order_relaxed);
    last = frame + 1;
    uint64_t n = atomic_load_explicit(&reference->taken, memory_order_relaxed);
    if (n >= x_reference_slots)
        return;
    struct x_reference_turn *t = x_reference_turns(reference) + n;
    struct timespec cpu;
    struct rusage used;
    t->frame = frame;
    t->tick = clock_ticks();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    t->cpu = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    getrusage(RUSAGE_THREAD, &used);
    t->preempted = (uint64_t)used.ru_nivcsw;
    t->distance = distance();
    never_read += lines(middle, MIDDLE_BYTES); /* kernels may have evicted it from the cache */
    for (int f = 0; f < XRT_PROBES; f++) {
        uint64_t begin = clock_ticks();
        probes[f]();
        t->probes[f] = clock_ticks() - begin;
    }
    memory_left();
    uint64_t end = clock_ticks();
    t->took = end - t->tick;
#ifdef XRT_VIRTUAL
    due = clock_ns() + (uint64_t)BETWEEN_VIRTUAL_MS * 1000000;
#else
    due = end + (uint64_t)BETWEEN_MS * 1000 * x_ticks_per_us;
#endif
    atomic_store_explicit(&reference->taken, n + 1, memory_order_release);
}

bool reference_due(void) {
#ifdef XRT_VIRTUAL
    static unsigned calls;
    return calls++ % CALLS == 0 && clock_ns() >= due;
#else
    return atomic_load_explicit(&run_control()->frame, memory_order_relaxed) + 1 != last || clock_ticks() >= due;
#endif
}

#endif
