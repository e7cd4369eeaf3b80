package run

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"xopt/deploy/wire"
)

// TestTeller: for a kernel on another host with much output, the control receives the beginning, the end, and
// the number of bytes between them.
func TestTeller(t *testing.T) {
	t.Parallel()
	const lines, line = 100000, "a line of what a kernel says\n"
	for _, step := range []int{1 << 15, 1000, 37} { // bytes of a Write
		var text bytes.Buffer
		for range lines {
			fmt.Fprintf(&text, "\x1e2\x1f%s\x1e-1\x1f", line)
		}
		text.WriteString("\x1e2\x1flast words\x1e-1\x1f")
		var sent bytes.Buffer
		to := newTeller(wire.NewConn(nil, &sent), 3)
		for b := text.Bytes(); len(b) > 0; b = b[min(step, len(b)):] {
			if n, err := to.Write(b[:min(step, len(b))]); err != nil || n != min(step, len(b)) {
				t.Fatal(n, err)
			}
		}
		to.finish()
		if maximum := maxImmediate + minTail + 1<<16; step > 100 && sent.Len() > maximum+maximum/10 {
			t.Errorf("%d bytes were sent of %d", sent.Len(), text.Len())
		}

		var printed strings.Builder
		heard := words{out: newPrinter(&printed), kernel: -1, name: func(k int) string { return fmt.Sprint("k", k) }}
		for in := wire.NewConn(&sent, nil); ; {
			kind, payload, err := in.Receive()
			if err != nil {
				break
			}
			output, err := wire.Value[wire.Output](payload)
			if err != nil || kind != wire.Printed || output.Process != 3 {
				t.Fatal(kind, output, err)
			}
			heard.hear(&output)
		}
		heard.finish()
		heard.out.finish()
		if got := heard.String(); !strings.HasSuffix(got, line+"last words") {
			t.Errorf("in pieces of %d: the end is %q", step, got)
		}
		shown := strings.Count(printed.String(), "k2: "+line)
		_, reported, _ := strings.Cut(printed.String(), "kernel output is cut after 256 KiB: ")
		var missing int
		_, err := fmt.Sscanf(reported, "%d bytes are not shown", &missing)
		want := (lines-shown)*len(line) + len("last words")
		// A truncated line and the last one each count with their ends.
		if err != nil || missing < want || missing > want+2 || shown < maxPrinted/len(line)-1 {
			t.Errorf("in pieces of %d: %d lines and %q, want %d", step, shown, reported, want)
		}
	}
}
