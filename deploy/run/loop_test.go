package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// loopX is a loop: y[n] = x[n] + y[n-D], with two kernels in it, and beside it a kernel with an edge to itself.
const loopX = `#include "std.x"
block G { config SIGNED64 elements = 5000; output UNSIGNED32 y; };
block Add { input UNSIGNED32 x, back; join x, back; output UNSIGNED32 y; };
block Pass { input UNSIGNED32 x; output UNSIGNED32 y; };
block Count { input UNSIGNED32 x, n; join x, n; output UNSIGNED32 y, m; };
block S { config STRING output = ""; input UNSIGNED32 x; };
block top {
	G g; Add add; Pass pass; Count count; S s;
	x: g.y -> add.x;
	sum: add.y -> pass.x;
	back: pass.y -> add.back (INITIAL);
	out: pass.y -> count.x;
	self: count.m -> count.n (initial=1);
	last: count.y -> s.x;
};
use top;
platform C { impl G (src="g.c"); impl Add (src="add.c"); impl Pass (src="pass.c"); impl Count (src="count.c");
	impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
`

// kernelC writes a kernel whose push is given.
func kernelC(block, push string) string {
	return fmt.Sprintf("#include \"X_%[1]s.h\"\nvoid X_%[1]s_init(X_%[1]s *d) { (void)d; }\n"+
		"void X_%[1]s_destroy(X_%[1]s *d) { (void)d; }\nvoid X_%[1]s_push(X_%[1]s *d) { %[2]s }\n", block, push)
}

// loopFiles returns the application, with initial in the brackets of its feedback edge.
func loopFiles(initial string) map[string]string {
	return map[string]string{
		"app.x": strings.Replace(loopX, "INITIAL", initial, 1),
		"g.c": `#include "X_G.h"
static uint32_t n;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = n * 2654435761u; X_G_y_send(d, 1); return ++n >= d->config.elements; }
`,
		"add.c": kernelC("Add", `while (X_Add_x_avail(d) && X_Add_back_avail(d)) {
			*X_Add_y(d, 1) = *X_Add_x(d) + *X_Add_back(d);
			X_Add_x_release(d, 1); X_Add_back_release(d, 1); X_Add_y_send(d, 1); }`),
		"pass.c": kernelC("Pass", `while (X_Pass_x_avail(d)) {
			*X_Pass_y(d, 1) = *X_Pass_x(d); X_Pass_x_release(d, 1); X_Pass_y_send(d, 1); }`),
		"count.c": kernelC("Count", `while (X_Count_x_avail(d) && X_Count_n_avail(d)) {
			uint32_t n = *X_Count_n(d);
			*X_Count_y(d, 1) = *X_Count_x(d) ^ n;
			X_Count_x_release(d, 1); X_Count_n_release(d, 1); X_Count_y_send(d, 1);
			*X_Count_m(d, 1) = n + 1; X_Count_m_send(d, 1); }`),
		"s.c": `#include <stdio.h>
#include "X_S.h"
void X_S_init(X_S *d) { d->state = fopen(d->config.output, "wb"); if (!d->state) X_fail("cannot write"); }
void X_S_destroy(X_S *d) { fclose(d->state); }
void X_S_push(X_S *d) { while (X_S_x_avail(d)) { fwrite(X_S_x(d), 4, 1, d->state); X_S_x_release(d, 1); } }
`,
	}
}

// loopOutput returns the expected output of the application: that of the twin, one number after the other.
func loopOutput(elements int, start []uint32) []byte {
	var out bytes.Buffer
	delayed := append([]uint32(nil), start...)
	word := make([]byte, 4)
	for n := range uint32(elements) {
		y := n*2654435761 + delayed[0]
		delayed = append(delayed[1:], y)
		binary.LittleEndian.PutUint32(word, y^n)
		out.Write(word)
	}
	return out.Bytes()
}

// TestLoop: a loop computes the same in every mapping, style and way to wait, with minimal buffers. It ends, and its
// initial elements remain on it.
func TestLoop(t *testing.T) {
	t.Parallel()
	const elements, maximum = 5000, 64
	separate := "map { top.g, top.pass, top.s } to proc[1]; map { top.add, top.count } to proc[2];"
	near := "map { top.g, top.add, top.pass, top.count, top.s } to proc[1];"
	middle := "map { top.g, top.s } to proc[1]; map { top.add, top.pass, top.count } to proc[2];"
	for i, c := range []struct {
		mapping string
		initial int
		values  bool
		options program.Options
	}{ // the first three in short
		{separate, 3, true, program.Options{Style: program.PerKernel}},
		{separate + "buffer { top.back } = 5;", 5, false, program.Options{Exact: true, Wait: program.WaitSpinBlock}},
		{near, 7, true, program.Options{Guard: true}},
		{separate, 1, false, program.Options{}},
		{separate, maximum, true, program.Options{Wait: program.WaitSpin}},
		{separate + "buffer { top.back } = 4; buffer { top.sum, top.out } = 2; buffer { top.self } = 1;", 4, true,
			program.Options{Wait: program.WaitBlock}},
		{near, 1, true, program.Options{}},
		{near + "buffer { top.x, top.sum, top.out, top.last } = 1;", 2, false, program.Options{Exact: true}},
		{middle, 16, true, program.Options{Wait: program.WaitYield, Style: program.PerKernel}},
		{middle, 2, true, program.Options{Guard: true, Style: program.PerKernel, Wait: program.WaitBlock}},
	} {
		if i > 2 && testing.Short() {
			break
		}
		start := make([]uint32, c.initial)
		initial, values := fmt.Sprintf("initial=%d", c.initial), &bytes.Buffer{}
		if c.values {
			initial += `, values="start.bin"`
			for i := range start {
				start[i] = uint32(i)*0x9e3779b9 + 17
			}
			_ = binary.Write(values, binary.LittleEndian, start) // a buffer takes all
		}
		name := fmt.Sprintf("%s %s %+v", c.mapping, initial, c.options)
		files := loopFiles(initial)
		files["start.bin"] = values.String()
		d := load(t, testkit.Files(t, files)+"/", "app.x", c.mapping)
		o := c.options
		o.Elements, o.Output, o.CPUs = elements, filepath.Join(t.TempDir(), "out"), 2
		if c.initial%2 == 1 {
			o.Taps = program.StandardTaps(d.Program, uint64(c.initial))
		}
		m := deploy(t, d, o, Options{Stall: 20 * time.Second})
		if m.Failure != nil {
			t.Fatalf("%s: %v", name, m.Failure)
		}
		got, err := os.ReadFile(o.Output)
		if want := loopOutput(elements, start); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes of output are not the %d wanted, %v", name, len(got), len(want), err)
		}
		for i, e := range m.Edges {
			edge := &d.Program.Edges[i]
			if e.Elements != elements || e.Left != uint64(edge.Initial) || e.Initial != uint64(edge.Initial) ||
				e.Consumed() != elements || e.MaxOccupancy > uint64(e.Capacity) {
				t.Errorf("%s: edge %s carried %+v", name, edge.Name, e)
			}
		}
	}
}

// TestInitialRefused: an application that cannot start is refused before anything is built.
func TestInitialRefused(t *testing.T) {
	t.Parallel()
	files := loopFiles("initial=4")
	d := load(t, testkit.Files(t, files)+"/", "app.x", "map { top } to proc[1];")
	back := slices.IndexFunc(d.Program.Edges, func(e xlang.Edge) bool { return e.Name == "top.back" })
	_, err := program.Describe(d, program.Options{Buffers: map[int]int{back: 3}})
	if !errors.Is(err, flow.ErrInvalid) || !strings.Contains(err.Error(),
		"buffer of top.back has space for 3 elements, but the minimum is 4") {
		t.Errorf("a buffer that does not hold its initial elements: %v", err)
	}
	files = loopFiles(`initial=4, values="start.bin"`)
	files["start.bin"] = strings.Repeat("x", 16)
	dir := testkit.Files(t, files)
	d = load(t, dir+"/", "app.x", "map { top } to proc[1];")
	if err := os.WriteFile(filepath.Join(dir, "start.bin"), []byte("short"), 0o644); err != nil {
		t.Fatal(err)
	}
	var wrong *program.InputError
	if _, err := program.Describe(d, program.Options{}); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "contains 5 bytes, but the 4 initial elements of edge top.back must have 16 "+
			"bytes") {
		t.Errorf("a file of another size: %v", err)
	}
}

// TestLoopStops: a loop whose kernel needs more than the initial elements is reported with its cycle, whether or not
// its input has ended. An endless loop stops on request, and nothing is left.
func TestLoopStops(t *testing.T) {
	t.Parallel()
	greedy := kernelC("Add", `while (X_Add_x_avail(d) && X_Add_back_avail(d) >= 4) {
		*X_Add_y(d, 1) = *X_Add_x(d) + *X_Add_back(d);
		X_Add_x_release(d, 1); X_Add_back_release(d, 4); X_Add_y_send(d, 1); }`)
	const cycle = "top.add -> top.pass -> top.add (top.sum contains 0 of "
	for _, c := range []struct {
		name, add, kind string
		elements        uint64
		limits          Options
		want            []string
	}{
		{"the input has ended", greedy, "deadlock", 20, Options{Stall: 20 * time.Second}, []string{
			"kernel top.add (block Add) left 20 elements of x unread, after consuming 0 elements and sending 0 " +
				"elements", cycle,
			"top.back contains 3 of 8 elements, 3 of them at the start"}},
		{"the input goes on", greedy, "deadlock", 1 << 40, Options{Stall: stall}, []string{"no element has moved",
			cycle, "top.back contains 3 of 8 elements, 3 of them at the start"}},
		{"without end", loopFiles("")["add.c"], "stopped", 1 << 40, Options{Time: 200 * time.Millisecond}, nil},
	} {
		for _, style := range []program.Style{program.PerCore, program.PerKernel} {
			files := loopFiles("initial=3")
			files["add.c"] = c.add
			d := load(t, testkit.Files(t, files)+"/", "app.x", "map { top.g, top.pass, top.s } to proc[1]; "+
				"map { top.add, top.count } to proc[2]; buffer { top.x } = 64; buffer { top.back } = 8;")
			m := deploy(t, d, program.Options{Style: style, Elements: c.elements, Output: os.DevNull}, c.limits)
			if m.Failure == nil || m.Failure.Kind != c.kind {
				t.Fatalf("%s, %s: %v, want a failure of kind %s", c.name, style, m.Failure, c.kind)
			}
			for _, want := range c.want {
				if !strings.Contains(m.Failure.Text, want) {
					t.Errorf("%s, %s: got %q, want in it %q", c.name, style, m.Failure.Text, want)
				}
			}
			if style == program.PerCore && testing.Short() {
				break
			}
		}
	}
}

// TestInitialOfOnePort: edges of one port may have different numbers of initial elements if the last of them
// are equal; others are refused.
func TestInitialOfOnePort(t *testing.T) {
	t.Parallel()
	const elements = 700
	start := []uint32{7, 8, 9}
	values := func(list []uint32) string {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, list) // a buffer takes all
		return b.String()
	}
	files := loopFiles(`initial=3, values="start.bin"`)
	files["app.x"] = strings.Replace(files["app.x"], "out: pass.y -> count.x;",
		`out: pass.y -> count.x (initial=1, values="last.bin");`, 1)
	files["start.bin"], files["last.bin"] = values(start), values(start[2:])
	var want []byte
	delayed, sent := start, start[2]
	for n := range uint32(elements) {
		want = binary.LittleEndian.AppendUint32(want, sent^n)
		sent = n*2654435761 + delayed[0]
		delayed = append(delayed[1:len(delayed):len(delayed)], sent)
	}
	want = binary.LittleEndian.AppendUint32(want, sent^elements)
	maps := "map { top.g, top.pass, top.s } to proc[1]; map { top.add, top.count } to proc[2]; " +
		"buffer { top.out, top.last } = 2; buffer { top.back } = 4;"
	for i, o := range []program.Options{{Guard: true}, {Style: program.PerKernel, Exact: true},
		{Growth: program.Growth{MaxBytes: 1 << 20}, Wait: program.WaitBlock}} {
		if i > 0 && testing.Short() {
			break
		}
		o.Elements, o.Output = elements, filepath.Join(t.TempDir(), "out")
		m := deploy(t, load(t, testkit.Files(t, files)+"/", "app.x", maps), o, Options{Stall: 20 * time.Second})
		if m.Failure != nil {
			t.Fatalf("%+v: %v", o, m.Failure)
		}
		if got, err := os.ReadFile(o.Output); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: %d bytes of output are not the %d wanted, %v", o, len(got), len(want), err)
		}
	}
	files["last.bin"] = values(start[:1])
	_, err := program.Describe(load(t, testkit.Files(t, files)+"/", "app.x", maps), program.Options{})
	var wrong *program.InputError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "edges top.back and top.out leave the same port") {
		t.Errorf("an edge that begins with others: %v", err)
	}
}
