package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// The files that the page on traces assumes: an application with a block FFT, cores, and events of a GPU. The GPU
// takes 20 us per 4096 bytes, and sends every fourth result to the log.
const (
	gpuApp = `#include "std.x"
block SRC { output UNSIGNED8[4096] y; };
block FFT { input UNSIGNED8[4096] x; output UNSIGNED8[2048] y, log; };
block SINK { input UNSIGNED8[2048] x; };
block top { SRC src; FFT fft; SINK sink, log; e1: src.y -> fft.x; e2: fft.y -> sink.x; e3: fft.log -> log.x; };
use top;
`
	gpuArch = `#include "std.x"
platform C { impl SRC (src="src.c"); impl SINK (src="sink.c"); };
resource proc[3] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
impl SRC on C (mu="400MB/s", scv=0.1, from="assumed: a disk");
impl SINK on C (mu="400MB/s", scv=0.1, from="assumed");
`
	gpuSource = `#include "X_SRC.h"
static unsigned long sent;
void X_SRC_init(X_SRC *d) { (void)d; sent = 0; }
int X_SRC_go(X_SRC *d) {
    if (sent++ == 4000)
        return 1;
    X_SRC_y(d, 1);
    X_SRC_y_send(d, 1);
    return 0;
}
void X_SRC_destroy(X_SRC *d) { (void)d; }
`
	gpuSink = `#include "X_SINK.h"
void X_SINK_init(X_SINK *d) { (void)d; }
void X_SINK_push(X_SINK *d) { X_SINK_x_release(d, X_SINK_x_avail(d)); }
void X_SINK_destroy(X_SINK *d) { (void)d; }
`
)

// gpuEvents returns a table of the events of the GPU.
func gpuEvents() string {
	var b strings.Builder
	b.WriteString("time_us;stream;kind;port;bytes\n")
	for i := range 1000 {
		at, to := 40*i, "y"
		if i%4 == 3 {
			to = "log"
		}
		fmt.Fprintf(&b, "%d;7;available;fft.x;4096\n%d;7;in;fft.x;4096\n%d;7;out;fft.%s;2048\n", at, at+5, at+25, to)
	}
	return b.String()
}

// TestGPUAsTheDocsSay follows docs/traces.md literally, with its files and commands. The predicted and simulated
// rates of the GPU must be those of its events.
func TestGPUAsTheDocsSay(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	testkit.Tools(t, "gcc")
	page := testkit.Read(t, "../../docs/traces.md")
	_, section, ok := strings.Cut(page, "## Kernels that this machine cannot run\n")
	if section, _, _ = strings.Cut(section, "\n## "); !ok {
		t.Fatal("the page has no such section")
	}
	files := map[string]string{"app.x": gpuApp, "arch.x": gpuArch, "src.c": gpuSource, "sink.c": gpuSink,
		"gpu.csv": gpuEvents()}
	blocks := regexp.MustCompile("(?s)(.*?)\n```\n(.*?)```\n").FindAllStringSubmatch(section, -1)
	names := []string{"gpu.x", "gpu.smx", "gpusim.x", "standin.c"}
	if len(blocks) != len(names) {
		t.Fatalf("the page has %d files, want %v", len(blocks), names)
	}
	for i, name := range names {
		if !strings.Contains(blocks[i][1], "`"+name+"`") {
			t.Fatalf("the page does not name %s before its text", name)
		}
		files[name] = blocks[i][2]
	}
	t.Chdir(testkit.Files(t, files))
	var commands []string
	for line := range strings.Lines(section) {
		if rest, ok := strings.CutPrefix(line, "    xopt "); ok {
			commands = append(commands, rest)
		}
	}
	if len(commands) != 4 {
		t.Fatalf("the page has %d commands: %q", len(commands), commands)
	}
	for i, want := range [][]string{{"205"}, {"predicted from", "measured elsewhere: gpu.csv"},
		{"top.fft", "205 m"}, {"simulated"}} {
		out, _ := typedLine(t, 0, strings.Fields(commands[i])...)
		has(t, "xopt "+commands[i], out, want...)
		if i == 3 {
			rate := regexp.MustCompile(`(?m)^Throughput\s+([0-9.]+) MB/s`).FindStringSubmatch(out)
			if rate == nil || rate[1] < "195" || rate[1] > "215" || len(rate[1]) > 5 {
				t.Errorf("simulated at %v MB/s, want 204.8:\n%s", rate, out)
			}
		}
	}

	// Without one of the steps, xopt names the next one.
	_, errs := typedLine(t, 2, "deploy", "app.x", "arch.x", "gpu.x", "app.1.map.x", "--simulate", "--from", "profile",
		"--profile", "here.profile.json")
	has(t, "deploy of what has no source", errs, "which is neither a processor core nor an FPGA, and cannot run here",
		"platform GPU : C { config STRING xsim = \"true\"; impl FFT (src=\"….c\"); };")
	bare := strings.Replace(files["gpu.x"], "platform GPU { impl FFT; };", "platform GPU;", 1)
	if err := os.WriteFile("bare.x", []byte(bare), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errs = typedLine(t, 2, "search", "app.x", "arch.x", "bare.x")
	has(t, "search without an implementation", errs, "platform GPU { impl FFT; }; and import figures")
	_, errs = typedLine(t, 2, "search", "app.x", "arch.x", "bare.x", "--profile", "here.profile.json")
	has(t, "search without an implementation", errs, "the profile contains figures of the kernel on gpu",
		"platform GPU { impl FFT; };")
	_, errs = typedLine(t, 0, "calibrate", "app.x", "arch.x", "bare.x", "--trace", "gpu.csv", "--rules", "gpu.smx",
		"--on", "gpu", "-o", "other.profile.json")
	has(t, "calibrate without an implementation", errs, "states that top.fft can run", "add platform "+
		"GPU { impl FFT; };")
}
