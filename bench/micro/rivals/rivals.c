/* rivals.c: the rate of a pipe or a Unix socket between two processes on two processors. Like the ring's
 * source and sink, the sender writes every word, and the receiver reads and checks every word.
 *
 *     rivals pipe|socket WORDS BATCH MILLISECONDS PROCESSOR PROCESSOR
 *
 * The program prints the received messages and the seconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
    fprintf(stderr, "rivals: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        die("cannot be pinned to its processor");
}

static void send_all(int fd, uint64_t *buffer, size_t words, size_t batch) {
    for (uint64_t sent = 0;;) {
        uint64_t *y = buffer;
        for (size_t j = 0; j < batch; j++, sent++)
            for (size_t i = 0; i < words; i++)
                *y++ = sent ^ i;
        const char *at = (const char *)buffer;
        for (size_t left = words * batch * 8; left > 0;) {
            ssize_t n = write(fd, at, left);
            if (n < 0)
                die("write");
            at += n;
            left -= (size_t)n;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 7)
        return 2;
    size_t words = strtoul(argv[2], NULL, 10), batch = strtoul(argv[3], NULL, 10);
    double window = 1e-3 * strtod(argv[4], NULL);
    size_t bytes = words * batch * 8;
    uint64_t *buffer = malloc(bytes);
    int fd[2];
    if (!buffer || !bytes)
        die("memory");
    if (strcmp(argv[1], "pipe") == 0 ? pipe(fd) != 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
        die(argv[1]);
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(fd[0]);
        pin(atoi(argv[5]));
        send_all(fd[1], buffer, words, batch);
    }
    close(fd[1]);
    pin(atoi(argv[6]));
    double warm = seconds() + window / 5, begin = 0, now = 0;
    uint64_t taken = 0, first = 0, wrong = 0;
    do {
        char *at = (char *)buffer;
        for (size_t left = bytes; left > 0;) {
            ssize_t n = read(fd[0], at, left);
            if (n <= 0)
                die("read");
            at += n;
            left -= (size_t)n;
        }
        const uint64_t *x = buffer;
        for (size_t j = 0; j < batch; j++, taken++)
            for (size_t i = 0; i < words; i++)
                wrong |= *x++ ^ taken ^ i;
        if (begin == 0 && (taken / batch % 64 == 0 || bytes >= 4096)) {
            now = seconds();
            if (now >= warm)
                begin = now, first = taken;
        } else if (taken / batch % 64 == 0 || bytes >= 4096)
            now = seconds();
    } while (begin == 0 || now - begin < window * 4 / 5);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (wrong) {
        fprintf(stderr, "rivals: a message differs from the sent message\n");
        return 1;
    }
    printf("%llu %.9f\n", (unsigned long long)(taken - first), now - begin);
    return 0;
}
