package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xopt/deploy/program"
)

const broadcast = "../../bench/apps/broadcast/"

// broadcastOutput returns the expected output of the application: 3 x + 1 of 16 pseudo-random numbers (xorshift32),
// their sum and their peak.
func broadcastOutput(elements int) []byte {
	var out bytes.Buffer
	random := uint32(2463534242) ^ 2654435761
	word := make([]byte, 4)
	write := func(x uint32) {
		binary.LittleEndian.PutUint32(word, x)
		out.Write(word)
	}
	for range elements {
		var sum, peak uint32
		for range 16 {
			random ^= random << 13
			random ^= random >> 17
			random ^= random << 5
			y := 3*random + 1
			sum, peak = sum+y, max(peak, y)
			write(y)
		}
		write(sum)
		write(peak)
	}
	return out.Bytes()
}

// TestBroadcast: a port that feeds three edges sends every element to each, for all mappings, buffers and taps. Its
// elements are in memory once.
func TestBroadcast(t *testing.T) {
	t.Parallel()
	const elements = 4000
	want := broadcastOutput(elements)
	small := "buffer { top.tosum } = 1; buffer { top.topeak } = 3; buffer { top.raw } = 200;"
	for i, c := range []struct {
		mapping string
		options program.Options
	}{
		{"map { top } to proc[1];", program.Options{}},
		{"map { top } to proc[1];" + small, program.Options{Exact: true}},
		{"map { top.source, top.scale, top.sum } to proc[1]; map { top.peak, top.store } to proc[2];",
			program.Options{Guard: true}},
		{"map { top.source, top.scale } to proc[1]; map { top.sum, top.peak, top.store } to proc[2];" + small,
			program.Options{Style: program.PerKernel}},
		{"map { top.sum, top.store } to proc[1]; map { top.source, top.scale, top.peak } to proc[2]; buffer { " +
			"top.tosum, top.topeak, top.raw, top.sums, top.peaks } = 1;", program.Options{Wait: program.WaitBlock}},
	} {
		for _, tapped := range []bool{i%2 == 0} {
			name := fmt.Sprintf("%s %+v, tapped %v", c.mapping, c.options, tapped)
			d := load(t, broadcast, "app.x arch.x", c.mapping)
			o := c.options
			o.Elements, o.Output = elements, filepath.Join(t.TempDir(), "out")
			if tapped {
				o.Taps = program.StandardTaps(d.Program, 1)
			}
			prog, err := program.Describe(d, program.Options{CPUs: 2})
			if err != nil {
				t.Fatal(err)
			}
			edges := map[string]int{}
			for e := range d.Program.Edges {
				edges[d.Program.Edges[e].Name] = e
			}
			a, b, r := edges["top.tosum"], edges["top.topeak"], edges["top.raw"]
			at := func(e int) uint64 { return prog.Edges[e].Data }
			if at(a) != at(b) || at(a) != at(r) || at(a) == at(edges["top.samples"]) {
				t.Errorf("%s: the elements of the port's edges lie at %d, %d and %d", name, at(a), at(b), at(r))
			}
			m := deploy(t, d, o, Options{Stall: 20 * time.Second})
			if m.Failure != nil {
				t.Fatalf("%s: %v", name, m.Failure)
			}
			got, err := os.ReadFile(o.Output)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes of output are not the %d wanted, %v", name, len(got), len(want), err)
			}
			for _, e := range m.Edges {
				if e.Elements != elements || e.Left != 0 || e.MaxOccupancy > uint64(e.Capacity) {
					t.Errorf("%s: edge %s carried %+v", name, e.Edge, e)
				}
			}
			for k, kernel := range m.Kernels {
				gain := map[string]float64{"top.scale": 1, "top.sum": 1. / 16,
					"top.peak": 1. / 16}[d.Program.Kernels[k].Name]
				if kernel.Gain != gain || len(kernel.Routing) > 0 && kernel.Routing[0].Fraction != 1 ||
					kernel.Firings != elements {
					t.Errorf("%s: %s has gain %g, want %g; routing %v, want 1; %d firings", name,
						d.Program.Kernels[k].Name, kernel.Gain, gain, kernel.Routing, kernel.Firings)
				}
			}
		}
	}
}
