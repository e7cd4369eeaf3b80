package run

import (
	"fmt"
	"strings"
	"testing"
)

// TestWords: the output of kernels is separated, cleaned and limited, however it is split on its way.
func TestWords(t *testing.T) {
	name := func(k int) string { return fmt.Sprintf("kernel %d", k) }
	const text = "raw\n\x1e1\x1fone \x1e-1\x1f\x1e2\x1ftwo\n\x1e-1\x1f\x1e1\x1f\x1b[31mmore\n\x1e-1\x1f a\x1eb\n" +
		"\x1e99999999999999999\x1fx\n"
	const want = "kernel -1: raw\nkernel 2: two\nkernel 1: one ?[31mmore\nkernel -1:  a?b\n" +
		"kernel -1: ?99999999999999999?x\n"
	for step := 1; step <= len(text); step++ {
		var b strings.Builder
		w := words{out: newPrinter(&b), kernel: -1, name: name}
		for rest := text; rest != ""; rest = rest[min(step, len(rest)):] {
			if n, err := w.Write([]byte(rest[:min(step, len(rest))])); err != nil || n != min(step, len(rest)) {
				t.Fatal(n, err)
			}
		}
		w.finish()
		if b.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", step, b.String(), want)
		}
	}
	var b strings.Builder
	w := words{out: newPrinter(&b), kernel: -1, name: name}
	for range 10000 {
		if _, err := w.Write([]byte(strings.Repeat("x", 99) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	w.finish()
	w.out.finish()
	if n := strings.Count(b.String(), "\n"); n != 1+maxPrinted/100 || !strings.HasSuffix(b.String(),
		fmt.Sprintf("kernel output is cut after 256 KiB: %d bytes are not shown\n",
			1000000-100*(n-1))) {
		t.Errorf("%d lines, the last of them %q", n, b.String()[max(b.Len()-100, 0):])
	}
	report := words{out: newPrinter(nil), kernel: -1, name: name}
	if _, err := report.Write([]byte("=====\n==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n" +
		"WRITE of size 1\n    #0 0x12 in X_F_push /tmp/f.c:32\n    #1 0x13 in main\n" + strings.Repeat("0",
		9000))); err != nil {
		t.Fatal(err)
	}
	if got := report.String(); got != "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1, in "+
		"X_F_push /tmp/f.c:32" {
		t.Errorf("got %q", got)
	}
}
