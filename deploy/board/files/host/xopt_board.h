/* xopt_board.h: the interface of a program on the host to an FPGA with a design exported by xopt. It
 * consists of the streams into and out of the FPGA, and the records of the agent of its taps. One
 * thread uses a board.
 *
 * Functions return -1 on failure; error is then the reason. */
#ifndef XOPT_BOARD_H
#define XOPT_BOARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A transport carries registers, and optionally streams, to a board or to a model of one. */
struct xopt_transport {
    void *self;
    /* read and write access a 32-bit register by its address in bytes. They return 0, or -1 on failure. */
    int (*read)(void *self, uint32_t address, uint32_t *value);
    int (*write)(void *self, uint32_t address, uint32_t value);
    /* send and receive transfer full words of a stream, each with its padding (bus bytes). They return the number of
     * transferred bytes, 0 if no transfer is possible now, or -1 on failure. They are NULL if streams use registers. */
    long (*send)(void *self, unsigned stream, const void *words, size_t bytes);
    long (*receive)(void *self, unsigned stream, void *words, size_t bytes);
    /* pause waits if there is nothing to do: on a board for a moment, in a model until exactly the given cycle of the
     * run. */
    int (*pause)(void *self, uint64_t cycle);
    void (*close)(void *self);
    const char *what; /* "board" or "model" */
    char error[256];
};

struct xopt_stream { /* a stream of the design (design.h) */
    const char *name;
    int input;          /* 1 for a stream into the FPGA */
    unsigned word;      /* bytes of a word */
    unsigned bus;       /* bytes of a word at a DMA engine: the word, then zeros */
    unsigned element;   /* bytes of an element */
    unsigned part;      /* the kernel at its end in the FPGA */
};

struct xopt_board {
    struct xopt_transport transport;
    struct xopt_state *state;
    char error[512];
};

/* xopt_open opens a board and checks that it contains this design. where is one of
 *   map:PATH[,offset=N][,size=N]           registers in mapped memory: /dev/uio0, a PCI resource, /dev/mem
 *   device:PATH[,STREAM=PATH]...           registers of a character device, by offset, such as /dev/xdma0_user; streams
 *                                          by their own devices, such as /dev/xdma0_h2c_0, or through registers
 *   serial:PATH[,baud=N]                   a serial line (the shell xopt_serial)
 *   model:PATH[,schedule=PATH]             a model built with Verilator (make build/lite.so) */
int xopt_open(struct xopt_board *b, const char *where);
void xopt_close(struct xopt_board *b);

/* xopt_start starts the kernels after their reset. frame is the length of the taps' frames in cycles. */
int xopt_start(struct xopt_board *b, uint32_t frame);

/* xopt_send sends complete words of an input, up to the free space, and returns the number of bytes.
 * xopt_end_stream marks the end of the stream. */
long xopt_send(struct xopt_board *b, unsigned stream, const void *words, size_t bytes);
void xopt_end_stream(struct xopt_board *b, unsigned stream);

/* xopt_receive receives the available complete words of an output, and returns the number of bytes. */
long xopt_receive(struct xopt_board *b, unsigned stream, void *words, size_t bytes);

/* xopt_records receives the available words of the agent's records, and returns their number. */
long xopt_records(struct xopt_board *b, uint32_t *words, size_t n);

/* xopt_command sends the agent a command (record.h). */
int xopt_command(struct xopt_board *b, uint32_t command);

/* xopt_ended propagates the end of the streams from kernel to kernel. It returns 1 when all kernels have ended: all
 * inputs have ended, and no word has been at their streams for a while. */
int xopt_ended(struct xopt_board *b);

/* xopt_drain makes kernels send their remaining output. xopt_ended calls it at the right time. */
int xopt_drain(struct xopt_board *b, const unsigned *parts, size_t n);

/* xopt_cycle returns the number of cycles for which the kernels have run. */
int xopt_cycle(struct xopt_board *b, uint64_t *cycle);

/* xopt_pause waits for a moment or, in a model, until the given cycle. */
int xopt_pause(struct xopt_board *b, uint64_t cycle);

/* xopt_traces stops the recording of signals, and writes the records to the files trace0, trace1 and so on in a folder.
 * Recording restarts with the next run. */
int xopt_traces(struct xopt_board *b, const char *folder);

/* xopt_summary writes the summary of a run to the file summary in a folder, for xopt deploy --from
 * board:FOLDER. */
struct xopt_totals {
    const char *where;
    double clock, wall;    /* Hz; duration on the host in seconds */
    uint32_t frame;        /* cycles of a frame of the taps */
    uint64_t records;      /* number of record words */
    const uint64_t *bytes; /* bytes moved on each stream */
};
int xopt_summary(struct xopt_board *b, const char *folder, const struct xopt_totals *totals);

/* xopt_open_transport opens a transport, named as for xopt_open. */
int xopt_open_transport(struct xopt_transport *t, const char *where);

#ifdef __cplusplus
}
#endif
#endif
