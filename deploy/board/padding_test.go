package board

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"xopt/hdl"
	"xopt/internal/testkit"
)

// loopback is a host's program on a transport that returns on stream 2i+1 the complete words of stream 2i, a few at a
// time. It fails where a received word is not followed by zeros, or the returned word differs.
const loopback = `
#include "xopt_board.c"

static uint8_t line[STREAMS][1 << 16];
static size_t filled[STREAMS], given[STREAMS];
static int spoiled;

static long send(void *self, unsigned stream, const void *words, size_t bytes) {
    const size_t bus = xopt_streams[stream].bus, take = bytes < 7 * bus ? bytes : 7 * bus;
    (void)self;
    memcpy(line[stream] + filled[stream], words, take);
    filled[stream] += take;
    return (long)take;
}

static long receive(void *self, unsigned stream, void *words, size_t bytes) {
    const size_t bus = xopt_streams[stream].bus, left = filled[stream - 1] - given[stream];
    size_t give = bytes < left ? bytes : left;
    (void)self;
    give = give < 5 * bus ? give : 5 * bus;
    memcpy(words, line[stream - 1] + given[stream], give);
    if (spoiled && give > 0)
        ((uint8_t *)words)[bus - 1] = 1;
    given[stream] += give;
    return (long)give;
}

static int read_register(void *self, uint32_t address, uint32_t *value) {
    (void)self;
    *value = address == XOPT_ID ? XOPT_DESIGN : XOPT_MAGIC_VALUE;
    return 0;
}

int xopt_open_transport(struct xopt_transport *t, const char *where) {
    (void)where;
    memset(t, 0, sizeof *t);
    t->read = read_register, t->send = send, t->receive = receive;
    return 0;
}

int main(void) {
    struct xopt_board b;
    if (xopt_open(&b, "loopback") != 0)
        return puts(b.error), 1;
    for (unsigned s = 0; s < STREAMS; s += 2) {
        const size_t word = xopt_streams[s].word, bus = xopt_streams[s].bus, bytes = 100 * word;
        uint8_t there[1 << 15], back[1 << 15];
        size_t sent = 0, came = 0;
        for (size_t i = 0; i < bytes; i++)
            there[i] = (uint8_t)(i * 2654435761u >> 7 | 1);
        while (came < bytes) {
            const long n = xopt_send(&b, s, there + sent, bytes - sent);
            const long m = xopt_receive(&b, s + 1, back + came, bytes - came);
            if (n < 0 || m < 0 || n % (long)word || m % (long)word || n + m == 0)
                return printf("%s: %ld %ld %s\n", xopt_streams[s].name, n, m, b.error), 1;
            sent += (size_t)n, came += (size_t)m;
        }
        if (filled[s] != 100 * bus || memcmp(there, back, bytes) != 0)
            return printf("%s: %zu bytes on the line, want %zu, or other data\n", xopt_streams[s].name, filled[s],
                          100 * bus), 1;
        for (size_t i = 0; i < filled[s]; i++)
            if (line[s][i] != (i % bus < word ? there[i / bus * word + i % bus] : 0))
                return printf("%s: byte %zu on the line\n", xopt_streams[s].name, i), 1;
        given[s + 1] = 0, spoiled = 1;
        if ((xopt_receive(&b, s + 1, back, bytes) < 0) != (word != bus))
            return printf("%s: padding that is not zero\n", xopt_streams[s].name), 1;
        spoiled = 0;
    }
    return 0;
}
`

// splitWord is a host's program whose stream comes from a pipe, in which a word arrives in two parts, and whose other
// stream goes into that pipe.
const splitWord = `
#include <sys/stat.h>
#include "transport.c"

int main(int argc, char **argv) {
    struct xopt_transport t;
    char where[1024];
    uint8_t word[4], all[16];
    if (argc != 3 || mkfifo(argv[2], 0600) != 0)
        return puts("no pipe"), 1;
    snprintf(where, sizeof where, "device:%s,top_out0=%s,top_in1=%s", argv[1], argv[2], argv[2]);
    if (xopt_open_transport(&t, where) != 0)
        return puts(t.error), 1;
    if (t.receive(t.self, 0, word, sizeof word) != 0)
        return puts("something comes from an empty pipe"), 1;
    if (t.send(t.self, 1, "abcdefgh", 8) != 8 || t.receive(t.self, 0, all, sizeof all) != 8 ||
        memcmp(all, "abcdefgh", 8) != 0)
        return printf("two words: %s\n", t.error), 1;
    const int late = open(argv[2], O_WRONLY);
    if (write(late, "ijk", 3) != 3)
        return puts("writing"), 1;
    if (fork() == 0) {
        usleep(100000);
        _exit(write(late, "lm", 2) != 2);
    }
    const long n = t.receive(t.self, 0, word, sizeof word);
    if (n != 4 || memcmp(word, "ijkl", 4) != 0)
        return printf("a word in two parts: %ld bytes, %s\n", n, t.error), 1;
    return 0;
}
`

// hostProgram compiles a program with the sources of the host, for a design with these streams.
func hostProgram(t *testing.T, source string, streams []streamText) string {
	t.Helper()
	testkit.Tools(t, "cc")
	text := &projectText{Parts: 1, Drains: []bool{false}, Streams: streams}
	design, err := text.fill("design.h.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	registers, err := hdl.RegistersC()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	if err := copyFiles(out); err != nil {
		t.Fatal(err)
	}
	out["host/design.h"], out["host/registers.h"], out["host/program.c"] = design, registers, source
	dir := t.TempDir()
	if err := writeAll(dir, out); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	host := filepath.Join(dir, "host")
	compile := exec.Command("cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-type-limits", "-o", program,
		filepath.Join(host, "program.c"), "-ldl")
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, output)
	}
	return program
}

// TestPadding: words of any number of bytes return unchanged over a bus with a width of AXI DMA, followed by zeros.
// The host's program rejects other widths.
func TestPadding(t *testing.T) {
	var streams []streamText
	for _, bytes := range []int{1, 2, 3, 4, 5, 9, 12, 16, 17, 33, 64, 127, 128, 129} {
		for _, input := range []bool{true, false} {
			name := "top_out"
			if input {
				name = "top_in"
			}
			streams = append(streams, streamText{Name: name + strconv.Itoa(len(streams)), Input: input,
				Bytes: bytes, BusBytes: dmaWidth(8*bytes) / 8, Element: bytes})
		}
	}
	if output, err := exec.Command(hostProgram(t, loopback, streams)).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

// TestSplitWord: a device delivers complete words, also where one arrives in parts.
func TestSplitWord(t *testing.T) {
	program := hostProgram(t, splitWord, []streamText{{Name: "top_out0", Bytes: 3, BusBytes: 4, Element: 3},
		{Name: "top_in1", Input: true, Bytes: 3, BusBytes: 4, Element: 3}})
	registers := filepath.Join(t.TempDir(), "registers")
	if err := os.WriteFile(registers, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(program, registers, registers+".pipe").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}
