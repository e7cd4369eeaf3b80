/* fault does, at a place, what the environment requests: FAULT=block:function:what. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "X.h"

extern uint8_t *x_shared;
static int deep(volatile char *p) { volatile char big[4096]; big[0] = p ? p[0] : 1; return deep(big) + big[0]; }

static void forever(void) { for (;;) pause(); }

static void fault(const char *place) {
    const char *asked = getenv("FAULT");
    size_t n = strlen(place);
    if (!asked || strncmp(asked, place, n) != 0 || asked[n] != ':')
        return;
    const char *what = asked + n + 1;
    static int calls;
    if (strstr(place, "push") && ++calls != 50) /* once, after some work */
        return;
#define IS(name) (strcmp(what, name) == 0)
    if (IS("null")) *(volatile int *)0 = 1;
    if (IS("abort")) abort();
    if (IS("divide")) { volatile int zero = 0, one = 1; zero = one / zero; }
    if (IS("illegal")) __builtin_trap();
    if (IS("bus")) {
        int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
        if (fd < 0) fd = memfd_create("x", 0);
        volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        p[0] = 1;
    }
    if (IS("kill")) raise(SIGKILL);
    if (IS("atexit")) atexit(forever);
    if (IS("traced")) { ptrace(PTRACE_TRACEME, 0, NULL, NULL); raise(SIGTRAP); }
    if (IS("term")) raise(SIGTERM);
    if (IS("pipe")) { int fd[2]; if (pipe(fd) == 0) { close(fd[0]); n = (size_t)write(fd[1], "x", 1); } }
    if (IS("cpu")) { struct rlimit r = {0, 0}; setrlimit(RLIMIT_CPU, &r); for (;;) ; }
    if (IS("filesize")) {
        struct rlimit r = {10, 10};
        setrlimit(RLIMIT_FSIZE, &r);
        for (FILE *f = tmpfile();;) {
            fputs("0123456789", f);
            fflush(f);
        }
    }
    if (IS("exit0")) exit(0);
    if (IS("exit7")) exit(7);
    if (IS("_exit")) _exit(9);
    if (IS("fail")) X_fail("%s is wrong", "it");
    if (IS("loop")) for (;;) ;
    if (IS("pause")) for (;;) pause();
    if (IS("sleep")) sleep(1000);
    if (IS("read")) { int fd[2]; char c; if (pipe(fd) == 0) n = (size_t)read(fd[0], &c, 1); }
    if (IS("mutex")) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
    if (IS("recursion")) deep(NULL);
    if (IS("free")) { void *volatile p = malloc(10); free(p); free(p); }
    if (IS("heap")) {
        char *volatile p = malloc(24);
        memset(p, 0x41, 4096);
        for (int i = 0; i < 100; i++)
            free(malloc(24 + 16 * (size_t)i));
        free(p);
        abort();
    }
    if (IS("memory")) {
        struct rlimit r = {1 << 26, 1 << 26};
        setrlimit(RLIMIT_AS, &r);
        for (;;) {
            char *p = malloc(1 << 20);
            if (!p) X_fail("out of memory");
            memset(p, 1, 1 << 20);
        }
    }
    if (IS("files")) while (open("/dev/null", O_RDONLY) >= 0) ;
    if (IS("files")) X_fail("cannot open: %s", strerror(errno));
    if (IS("close")) for (int i = 0; i < 1024; i++) close(i);
    if (IS("unmap")) { munmap(x_shared, 1 << 16); }
    if (IS("child") && fork() == 0) for (;;) pause();
    if (IS("busychild") && fork() == 0) for (;;) ;
    if (IS("childcrash") && fork() == 0) abort();
    if (IS("ignore")) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        for (;;)
            pause();
    }
    if (IS("block")) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, NULL); for (;;) ; }
    if (IS("talk")) {
        for (int i = 0; i < 100000; i++)
            fputs("a line of what a kernel says\n", stderr);
        fputs("last words", stderr);
        abort();
    }
    if (IS("print")) for (int i = 0; i < 100000; i++) fputs("no end of line ", stdout);
    if (IS("stop")) raise(SIGSTOP);
    if (IS("thread")) { pthread_t t; pthread_create(&t, NULL, (void *(*)(void *))(void (*)(void))pause, NULL); }
}
