package main

import (
	"encoding/json"
	"os"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestUseOfLongCalls checks that kernels whose calls last several frames have no utilization above 1, in the result,
// in assertions and in messages.
func TestUseOfLongCalls(t *testing.T) {
	t.Chdir(testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block GEN { config SIGNED64 elements = 8; output UNSIGNED32 y; };
block LONG { input UNSIGNED32 x; };
block top { GEN gen; LONG a, b; e: gen.y -> a.x; f: gen.y -> b.x; };
use top;
platform C { impl GEN (src="gen.c"); impl LONG (src="long.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.gen, top.a } to proc[1];
map { top.b } to proc[2];
`, "gen.c": `#include "X_GEN.h"
static int64_t n;
void X_GEN_init(X_GEN *d) { (void)d; }
void X_GEN_destroy(X_GEN *d) { (void)d; }
int X_GEN_go(X_GEN *d) {
    if (n == d->config.elements)
        return 1;
    *X_GEN_y(d, 1) = (uint32_t)n++;
    X_GEN_y_send(d, 1);
    return n == d->config.elements;
}
`, "long.c": `#include "X_LONG.h"
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
void X_LONG_init(X_LONG *d) { (void)d; }
void X_LONG_destroy(X_LONG *d) { (void)d; }
void X_LONG_push(X_LONG *d) {
    while (X_LONG_x_avail(d) > 0) {
        for (double end = now() + 0.011; now() < end;)
            ;
        X_LONG_x_release(d, 1);
    }
}
`}))
	out, _ := typedLine(t, 0, "deploy", "app.x", "--frame", "2ms", "--strict", "-o", "run.result.json", "--measure",
		"a: assert util at e <= 100 %; b: assert util at f <= 100 %")
	has(t, "the run", out, "Assertions  all hold", "!FAILED")
	text, err := os.ReadFile("run.result.json")
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	noUseAboveAll(t, "result", decoded)
	var r result.Result
	if err := json.Unmarshal(text, &r); err != nil || len(r.Measured.Frames) < 10 {
		t.Errorf("%d frames: %v", len(r.Measured.Frames), err)
	}
}
