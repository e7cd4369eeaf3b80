/* zeromq.c: the rate of ZeroMQ over TCP from a PUSH socket to a PULL socket, in two processes on two processors.
 *
 *     zeromq BYTES MILLISECONDS PROCESSOR PROCESSOR
 *
 * The program prints the received messages and the seconds, without the first fifth. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

static void die(const char *what) {
    fprintf(stderr, "zeromq: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pin(int cpu) { /* ZeroMQ's input and output threads start later and are pinned, too */
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        die("cannot be pinned to its processor");
}

static void push(const char *address, size_t bytes, int cpu) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(cpu);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PUSH);
    uint8_t *message = calloc(1, bytes);
    if (!socket || !message || zmq_connect(socket, address) != 0)
        die("connecting");
    for (;;)
        if (zmq_send(socket, message, bytes, 0) < 0)
            die("sending");
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    const size_t bytes = strtoul(argv[1], NULL, 10);
    const double window = 1e-3 * strtod(argv[2], NULL);
    int to_child[2];
    if (pipe(to_child) != 0)
        die("making a pipe");
    pid_t child = fork(); /* before there are threads */
    if (child == 0) {
        char address[256] = {0};
        if (read(to_child[0], address, sizeof address - 1) <= 0)
            exit(1);
        push(address, bytes, atoi(argv[3]));
    }
    pin(atoi(argv[4]));
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PULL);
    char address[256];
    size_t length = sizeof address;
    uint8_t *message = malloc(bytes);
    if (child < 0 || !socket || !message || zmq_bind(socket, "tcp://127.0.0.1:*") != 0 ||
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &length) != 0 ||
        write(to_child[1], address, length) != (ssize_t)length)
        die("listening");
    uint64_t n = 0;
    double begin = seconds(), from = begin + window / 5, now = begin;
    for (;;) {
        if (zmq_recv(socket, message, bytes, 0) != (int)bytes)
            die("receiving");
        n++;
        if (n % 64 != 0 && bytes < 4096)
            continue;
        now = seconds();
        if (begin < from && now >= from) {
            begin = from = now;
            n = 0;
        }
        if (now - from >= window && begin == from)
            break;
    }
    printf("%llu %.9f\n", (unsigned long long)n, now - from);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    fflush(stdout);
    _exit(0); /* ZeroMQ's threads may still wait */
}
