/* internal.h: the interface between the parts of the runtime within one process. */
#ifndef INTERNAL_H
#define INTERNAL_H

#include "choices.h"
#include "clock.h"
#include "edge.h"
#include "fiber.h"
#include "pause.h"
#include "xrt.h"

struct kernel;
struct sampler { /* selects elements by their index on an edge */
    uint64_t next, last, gap, tick, random;
    bool fixed, regular; /* fixed: the gap does not adapt to the time; regular: the offset is not random */
};

/* The ends of an edge are in shared memory, where only the supervisor also reads their progress. The members that
 * every element needs come first, because an element as large as the first-level cache evicts the other members. */
struct reader {
    struct x_reader r; /* must be first: the kernel's functions access only this part */
    int edge;
    uint32_t firing; /* elements per firing; 0 if the elements do not count firings */
    bool once, back; /* back: the edge closes a loop */
    uint32_t area; /* area of the next element to consume */
    uint64_t capacity;
    struct x_ring_control *control;
    struct writer *local; /* the other end if it is in this process */
    uint64_t published, batch, max; /* tail in shared memory, and its maximum lag */
    uint64_t tap_mark;
    uint64_t seen;  /* head at the last call of the kernel */
    uint64_t share; /* elements to show in one call */
    struct kernel *kernel;
    uint64_t stamp, woken;
#ifdef XRT_EVENTS
    uint64_t looked, since; /* elements that the kernel has read or released, and the time of the last of them */
#endif
    struct batches *batches; /* for edges of copies; otherwise NULL */
#ifdef XRT_TAPS
    struct hop *hops; /* hops that end here */
    uint64_t marks;   /* the writer's marks at the last check of the hops */
    struct tap *taps;
    struct sampler service;
#endif
};

struct writer {
    struct x_writer w;
    int edge;
    uint32_t area; /* area of the next element to send */
    uint64_t capacity;
    struct x_ring_control *control;
    struct reader *local;
    uint64_t published, batch, max;
    uint64_t tap_mark;
    struct kernel *kernel;
    uint64_t stamp, woken;
    uint32_t firing; /* for a source: elements per firing; 0 if the elements do not count firings */
    bool back;
    uint64_t under; /* bytes that the fence covers */
    struct writer *first, *next; /* writers of one port, one per edge */
    uint64_t fits, shows;        /* elements per block: maximum, 0 for an edge that stays on its ring; now (fused.c) */
    struct block *block, *left;  /* current block; previous block, until the edge moved to its ring */
#ifdef XRT_TAPS
    struct tap *taps;
    struct hop *hops; /* hops that start here */
    struct sampler service;
#endif
};

enum state { IDLE, WAITS, ENDED };

struct pass { /* passes of a testpoint */
    size_t series;
    uint64_t index;
};

struct kernel {
    const struct x_kernel *spec;
    int number; /* index in x_kernels */
    struct x_kernel_control *control;
    struct reader **in;
    struct writer **out;
    size_t ins, outs; /* numbers of reading and writing ends */
    enum state state;
    bool again;       /* after the last call, elements are left that the kernel may consume now */
    bool timing;      /* a service is being timed */
    int share, minimum; /* binary logarithms of the factor for reader.share, and of its minimum */
    uint64_t blocked; /* ticks spent waiting for space */
    uint64_t busy, calls;
    uint64_t fired;       /* for a source whose calls are its firings: calls that sent something */
    uint64_t burst;       /* calls of go in a turn */
    struct fiber *fiber;  /* stack of the kernel while it waits */
    struct writer *waits; /* the writer that waits for space */
    uint64_t need;
    struct copies *copies; /* set if it is copied or reads from copies; otherwise NULL */
#ifdef XRT_EXACT /* a firing sees only its own elements (turn.c) */
    uint32_t *group;        /* by reading end: its group; ends of a group are visible together; 0: always visible */
    uint32_t groups, shown; /* number of groups; the visible group, 0 for all */
    uint32_t last;          /* last group that was visible alone */
    bool together;          /* consumes several groups in one firing */
#endif
#ifdef XRT_TAPS
    struct tap *service;
    struct sampler sampler; /* selects firings, if its ends do not time them */
    bool ends_time;         /* its ends time its firings */
    uint64_t timing_from, timing_blocked;
    double timing_weight, timing_firings;
    uint64_t returned; /* end of its last call, in ticks */
#endif
#ifdef XRT_EVENTS
    uint64_t called;     /* start of its current call */
    uint64_t moved;      /* elements sent and released before its turn */
    struct pass *passes; /* passes of testpoints, to record at the end of its turn */
    size_t passed, room;
#endif
};

extern uint8_t *x_shared;
extern int x_self;
extern pid_t x_started_as; /* process id at the start; a forked copy has a different one */
extern uint64_t x_ticks_per_us;
extern double x_seconds_per_tick;
extern struct kernel *x_current;
extern struct x_process_control *x_here; /* the entry of this process */

struct x_process_control *process_control(int p);
struct x_kernel_control *kernel_control(int k);

/* shared_at returns the address of an offset in shared memory. */
static inline void *shared_at(uint64_t offset) { return x_shared + offset; }

static inline struct x_run_control *run_control(void) { return shared_at(0); }

static inline struct x_ring_control *ring_control(int edge) { return shared_at(x_edges[edge].control); }

/* The ends of an edge, as seen by processes that do not own them. */
static inline const volatile struct x_reader *reader_seen(int edge) { return shared_at(x_edges[edge].reader); }

static inline const volatile struct x_writer *writer_seen(int edge) { return shared_at(x_edges[edge].writer); }

/* writer_sent returns the number of elements that a writer has sent. Its count starts with the initial elements. */
static inline uint64_t writer_sent(const struct writer *w) { return w->w.head - x_edges[w->edge].initial; }

static inline uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* A turn costs about 0.12 us. A pass that lasts TURN_US per turn spends 0.5 % of its time on the cost of turns. */
enum { PASS_US = 100, TURN_US = 25 };

/* pass_ticks returns the maximum time in ticks of a pass with a number of turns. */
static inline uint64_t pass_ticks(uint64_t turns) {
    return (turns * TURN_US > PASS_US ? turns * TURN_US : PASS_US) * x_ticks_per_us;
}

/* ring.c */
void ring_open(struct kernel *kernels, size_t count);
uint64_t ring_room(struct writer *w);
void ring_close(struct writer *w);
void ring_flush(struct kernel *k, bool wake);
uint64_t ring_batch(int edge, uint64_t capacity, bool local);
uint8_t *ring_area(int edge, uint64_t offset, uint64_t bytes);

#ifdef XRT_VIRTUAL /* edges stay on their rings */
static inline void fused_open(struct kernel *kernels, size_t count) { (void)kernels, (void)count; }
static inline void fused_empty(struct writer *w) { (void)w; }
static inline bool fused_reserve(struct writer *w, uint64_t n) { return ring_room(w) >= n; }
static inline uint64_t fused_room(struct writer *w) { return w->w.limit - w->w.head; }
static inline void fused_stop(struct writer *w) { (void)w; }
static inline uint64_t fused_batch(void) { return x_processes[x_self].batch; }
#else /* fused.c */
void fused_open(struct kernel *kernels, size_t count);
void fused_empty(struct writer *w);
bool fused_reserve(struct writer *w, uint64_t n);
uint64_t fused_room(struct writer *w);
bool fused_spill(struct kernel *k);
void fused_stop(struct writer *w);

/* fused_pace adapts the batch to the time of a pass and its number of turns. */
void fused_pace(uint64_t took, uint64_t turns);

/* fused_batch returns the number of bytes in a pass. */
uint64_t fused_batch(void);
#endif

/* near.c */
void near_reader(uint8_t *area, uint64_t bytes);

/* grow.c */
void idle_begins(void);
void idle_ends(void);
void idle_changes(void);
uint32_t idle_asked(void);
bool idle_unanswered(uint32_t look);
void idle_answers(uint32_t look, struct kernel *kernels, size_t count);
void grow_take(struct writer *w);
void grow_follow(struct reader *r, uint32_t area) __attribute__((cold));

/* grow_look makes a reader follow its writer to another area. It must follow the check for arrived elements:
 * elements in the new area are visible only after the area. */
static inline void grow_look(struct reader *r) {
    uint32_t area = atomic_load_explicit(&r->control->area, memory_order_acquire);
    if (area != r->area)
        grow_follow(r, area);
}

/* overrun.c */
enum { MARGIN_BYTES = 1 << 16 }; /* inaccessible bytes on both sides of memory mapped for kernels */
void overrun_open(void);
size_t overrun_watch(const uint8_t *from, uint64_t bytes, int edge, const char *what);
void overrun_moves(size_t watch, int edge);
uint8_t *overrun_reserve(uint64_t bytes, const char *what);
void overrun_fenced(struct writer *w) __attribute__((cold));
_Noreturn void overrun_fail(const struct kernel *k, const char *format, ...)
    __attribute__((cold, format(printf, 2, 3)));
uint64_t overrun_firing(const struct kernel *k);

#ifdef XRT_GUARD
/* guard.c */
void guard_open(struct writer *w);
#endif

/* copies.c */
bool copies_full(const struct kernel *k);
/* copies_wait reports whether a kernel without visible elements has work: it waits to announce batches. */
static inline bool copies_wait(const struct kernel *k) { return k->copies && copies_full(k); }
void copies_open(struct kernel *k, struct kernel *kernels, size_t count);
void copies_look(struct kernel *k);
void copies_settle(struct kernel *k);
void copies_show(struct kernel *k, bool ended);
bool copies_source(struct kernel *k);
bool copies_turned(struct kernel *k);
bool copies_news(const struct kernel *k);
bool copies_unread(const struct kernel *k, size_t out);
void copies_end(struct kernel *k);
void copies_kept(const struct kernel *k);
uint64_t copies_passed(const struct reader *r);

/* reader_took returns the number of elements that a kernel has consumed, without elements for other copies. */
static inline uint64_t reader_took(const struct reader *r) {
    return r->batches ? r->r.tail - copies_passed(r) : r->r.tail;
}

/* forks.c */

void forks_open(void);

/* speech.c */
void speech_open(void);

/* turn.c */
struct kernel *turn_open(size_t *count);
void turn_enter(struct kernel *k);
void turn_leave(void);
bool turn(struct kernel *k);
uint64_t turn_moved(const struct kernel *k); /* elements sent and released */
uint64_t turn_firings(const struct kernel *k);

/* loop.c */
void loop_open(const struct kernel *kernels, size_t count);
void loop_show(struct kernel *k);
void loop_look(void);

/* sched.c or virtual.c */
void sched_open(void);
_Noreturn void sched_run(void);
void sched_await(struct kernel *k, struct writer *w, uint64_t n);

/* Calls of a kernel's code are between work_begins and work_ends. work_ends reports whether their time is random. */
#ifdef XRT_VIRTUAL /* virtual_time.c */
void work_begins(struct kernel *k);
bool work_ends(struct kernel *k);

/* time_given reports whether the time of a kernel's firings is random or recorded. */
bool time_given(const struct kernel *k);
#else
static inline bool time_given(const struct kernel *k) {
    (void)k;
    return false;
}
static inline void work_begins(struct kernel *k) { (void)k; }
static inline bool work_ends(struct kernel *k) {
    (void)k;
    return false;
}
#endif

/* clock_native.c or virtual_time.c: the clock readings for the supervisor. */
void clock_begins(struct clock_pair first, struct clock_pair second);
void clock_ends(void);

#ifdef XRT_REFERENCE
/* reference.c */
void reference_open(void);
bool reference_due(void);
void reference_beat(void);
void reference_turn(void);
#endif

/* carry.c */
void carry_open(void);
_Noreturn void carry_run(void);

/* edge_native.c: for carry.c, which returns space to a writer and passes elements to a reader. */
void edge_wake_writer(int edge, uint64_t room, uint64_t *woken);
void edge_wake_reader(int edge, uint64_t held, uint64_t *woken);

/* xrt.c */
_Noreturn void process_fail(const char *text);
_Noreturn void process_end(void);
void *process_alloc(size_t count, size_t size);
void clock_show(struct clock_pair first, struct clock_pair second);

#ifdef XRT_EVENTS
/* events.c */
void events_open(struct kernel *kernels, size_t count);
void events_sent(size_t e, uint64_t before, uint64_t head, uint64_t time);
void events_arrived(size_t e, uint64_t before, uint64_t head, uint64_t time);
void events_released(struct reader *r);
void events_turn_begins(struct kernel *k);
void events_turn_ends(struct kernel *k, uint64_t time);
void events_deliver(void); /* if there are many; blocks in virtual time */
void events_try(void);     /* writes as many events as the pipe accepts now */
void events_flush(void);   /* writes all events, and blocks until they are written */
#else
static inline void events_try(void) {}
static inline void events_flush(void) {}
#endif

#ifdef XRT_TAPS
/* condition.c */
struct moment { /* when a condition is evaluated: at element index of edge */
    int edge;
    uint64_t index;
    bool taken; /* the element is being released; otherwise it is being sent */
    double value;
};
bool condition_holds(const struct x_step *steps, uint32_t count, const struct moment *m);

/* taps.c */
void taps_open(struct kernel *kernels, size_t count);
void taps_sent(struct writer *w, uint64_t n);
void taps_released(struct reader *r);
void taps_call(struct kernel *k, uint64_t begin);
void taps_called(struct kernel *k, bool sent);
void taps_given(struct kernel *k, uint64_t fired, double took);
void taps_look(struct reader *r, uint64_t marks);

/* taps_shown searches for marks among the newly visible elements of a reader. */
static inline void taps_shown(struct reader *r) {
    if (!r->hops)
        return;
    /* marks is in the cache line of head, which was just read. */
    uint64_t marks = atomic_load_explicit(&r->control->marks, memory_order_relaxed);
    if (marks != r->marks)
        taps_look(r, marks);
}
#endif

#include "hot.h"

#endif
