package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

const copiesApp = "../../bench/apps/copies/"

// copiesOutput returns the expected output of the application, computed independently: see its sources.
func copiesOutput(elements int) []byte {
	var out bytes.Buffer
	random, seen := uint32(2463534242), make(map[uint32]uint32)
	var before [8]uint32
	for n := range elements {
		var x [8]uint32
		for i := range x {
			random ^= random << 13
			random ^= random >> 17
			random ^= random << 5
			x[i] = random
		}
		x[0] %= 16
		for range 20 {
			for i := 1; i < 8; i++ {
				x[i] = 1664525*x[i] + 1013904223 + x[i-1]
			}
		}
		if n%2 == 0 {
			before = x
			continue
		}
		for i := 1; i < 8; i++ {
			before[i] += x[i]
		}
		seen[before[0]]++
		before[1] = seen[before[0]]
		for n := before[7] >> 8 & 3; n > 0; n-- {
			sent := before
			sent[2] += n
			for _, word := range sent {
				_ = binary.Write(&out, binary.LittleEndian, word) // into memory
			}
		}
	}
	return out.Bytes()
}

// copiesMappings returns mappings of the application with all kinds of copies.
func copiesMappings() []string {
	return []string{
		"map { top } to proc[1];",
		"map { top.mix } to proc[1] & proc[2]; " +
			"map { top.source, top.pair, top.count, top.vary, top.store } to proc[1];",
		"map { top.mix, top.pair } to proc[1..3]; map { top.source, top.count, top.vary, top.store } to proc[4];",
		"map { top.mix } to 3 proc[1] & proc[2]; map { top.pair } to proc[2..4]; " +
			"map { top.source, top.count, top.vary, top.store } to proc[1];",
		"map { top.count } to proc[1..3]; map { top.source, top.mix, top.pair, top.vary, top.store } to proc[4];",
		"map { top.count, top.vary } to proc[1] & 2 proc[2]; " +
			"map { top.source, top.mix, top.pair, top.store } to proc[3];",
		"map { top.vary } to 2 proc[1] & proc[2]; " +
			"map { top.source, top.mix, top.pair, top.count, top.store } to proc[1];",
		"map { top.mix, top.pair } to proc[1] & proc[2]; map { top.count } to proc[1]; " +
			"map { top.vary } to proc[2] & proc[3] & proc[4]; map { top.source, top.store } to proc[2];",
		"map { top.count } to proc[3]; map { top.mix, top.pair, top.vary } to proc[1] & proc[2]; " +
			"map { top.source, top.store } to proc[4];",
	}
}

func loadCopies(t *testing.T, mapping string, configs ...string) *design.Design {
	t.Helper()
	x := flowtest.X{Dir: copiesApp, Files: []string{"app.x", "arch.x"}, More: mapping, Set: make(map[string]string)}
	for _, c := range configs {
		name, value, _ := strings.Cut(c, "=")
		x.Set[name] = value
	}
	return x.Design(t, design.Options{Purpose: design.ForDeploy})
}

// TestCopies: the output of copies has the order of their input, byte for byte as with one copy. The test varies the
// mapping, the sizes of buffers, the way to wait, and the speed of a copy. It includes gains other than 1, and a
// stream that ends within a batch.
func TestCopies(t *testing.T) {
	t.Parallel()
	const elements = 12001
	want := copiesOutput(elements)
	for i, mapping := range copiesMappings() {
		for j, o := range []program.Options{{}, {Exact: true}, {Wait: program.WaitBlock, Style: program.PerKernel},
			{Guard: true}} {
			if testing.Short() && j != i%4 {
				continue
			}
			var configs []string
			if j == 2 {
				configs = []string{"top.mix.delay=50", "top.count.delay=30", "top.vary.delay=100"}
				mapping += "buffer { top.raw, top.mixed } = 7; buffer { top.varied } = 3;"
			}
			d := loadCopies(t, mapping, configs...)
			o.Elements, o.Output = elements, filepath.Join(t.TempDir(), "out")
			if i%2 == 0 {
				o.Taps = program.StandardTaps(d.Program, 1)
			}
			name := fmt.Sprintf("%s (%d)", mapping, j)
			m := deploy(t, d, o, Options{Stall: 20 * time.Second})
			if m.Failure != nil {
				t.Errorf("%s: %v", name, m.Failure)
				continue
			}
			got, err := os.ReadFile(o.Output)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes of output are not the %d wanted: %s, %v", name, len(got), len(want),
					firstDifference(got, want), err)
			}
			checkCounts(t, name, d, m, elements)
		}
	}
}

// firstDifference returns the first difference between two outputs.
func firstDifference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("element %d differs", i/32)
		}
	}
	return "one is longer"
}

// checkCounts: copies of a kernel together fire as often as one does.
func checkCounts(t *testing.T, name string, d *design.Design, m *Measurement, elements uint64) {
	t.Helper()
	fired := make(map[string]uint64)
	for k := range m.Kernels {
		fired[d.Program.Kernels[k].Declared()] += m.Kernels[k].Firings
	}
	for kernel, want := range map[string]uint64{"top.source": elements, "top.mix": elements, "top.pair": elements / 2,
		"top.count": elements / 2, "top.vary": elements / 2} {
		if fired[kernel] != want {
			t.Errorf("%s: %s fired %d times, want %d", name, kernel, fired[kernel], want)
		}
	}
}

// TestCopiesOften runs mappings with copies 160 times in total, with kernels that wait for random times, and
// sanitizers. No element is lost, and none is out of order.
func TestCopiesOften(t *testing.T) {
	testkit.Long(t, "it runs 160 programs")
	t.Parallel()
	const elements, runs = 501, 20 // of eight mappings
	want := copiesOutput(elements)
	for _, mapping := range copiesMappings()[1:] {
		d := loadCopies(t, mapping, "top.mix.delay=200", "top.pair.delay=100", "top.count.delay=150",
			"top.vary.delay=300")
		o := program.Options{Elements: elements, Output: filepath.Join(t.TempDir(), "out"), Guard: true, CPUs: 2}
		prog, err := program.New(context.Background(), d, o, "")
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for n := range runs {
			m, err := Once(context.Background(), prog, Options{Stall: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(o.Output)
			if err != nil || m.Failure != nil || !bytes.Equal(got, want) {
				wrong++
				t.Errorf("%s, run %d: %v, %v; %s", mapping, n+1, m.Failure, err, firstDifference(got, want))
			}
		}
		t.Logf("%s: %d of %d runs wrong", mapping, wrong, runs)
		if err := prog.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestUnordered: with --unordered everything arrives, in whatever order.
func TestUnordered(t *testing.T) {
	t.Parallel()
	const elements = 6001
	d := loadCopies(t, "map { top.source, top.mix, top.pair, top.count, top.store } to proc[1]; "+
		"map { top.vary } to proc[2..4];", "top.vary.delay=50")
	o := program.Options{Elements: elements, Output: filepath.Join(t.TempDir(), "out"), Unordered: true}
	m := deploy(t, d, o, Options{Stall: 20 * time.Second})
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	got, err := os.ReadFile(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	if want := copiesOutput(elements); !slices.Equal(sortedElements(got), sortedElements(want)) {
		t.Errorf("%d bytes of output are not, in any order, the %d wanted", len(got), len(want))
	}
	checkCounts(t, "unordered", d, m, elements)
}

// TestUnorderedJoin: with --unordered, the elements that meet in a join still belong together.
func TestUnorderedJoin(t *testing.T) {
	t.Parallel()
	m := deploy(t, load(t, "testdata/unordered", "app.x", ""), program.Options{Unordered: true},
		Options{Stall: 20 * time.Second})
	if m.Failure != nil {
		t.Error(m.Failure)
	}
}

// sortedElements cuts an output into elements, sorted.
func sortedElements(out []byte) []string {
	var all []string
	for len(out) >= 32 {
		all, out = append(all, string(out[:32])), out[32:]
	}
	slices.Sort(all)
	return all
}
