package exchange

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/exchange/sdf3"
	"xopt/flow/exchange/tgff"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/queueing/sdf"
)

// load reads an imported application, with its architecture and mapping, as xopt eval does.
func load(t *testing.T, a *Application) *design.Design {
	t.Helper()
	var b bytes.Buffer
	if err := a.WriteX(&b); err != nil {
		t.Fatal(err)
	}
	if err := a.WriteArch(&b, 0); err != nil {
		t.Fatal(err)
	}
	if len(a.Cores) == 0 {
		if err := a.WriteMap(&b, 0); err != nil {
			t.Fatal(err)
		}
	}
	prog, _, err := xlang.Load([]string{"app.x"}, xlang.Options{
		Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path == "app.x" {
				return b.Bytes(), nil
			}
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	d, err := design.New(prog, design.Options{Purpose: design.ForSearch, MaxUtilization: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return d
}

// predicted returns the network of a design, and the rate in iterations/s that eval predicts.
func predicted(t *testing.T, d *design.Design, q []int64) (n *flow.Network, eval float64) {
	t.Helper()
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	for k := range q {
		if rate := n.Firings(s, k) / float64(q[k]); eval == 0 {
			eval = rate
		} else if math.Abs(rate/eval-1) > 1e-9 {
			t.Fatalf("kernel %d goes through %g iterations/s, others %g", k, rate, eval)
		}
	}
	return n, eval
}

// evaluated returns the rates in iterations/s that eval predicts and that the exact analysis of the mapping computes.
func evaluated(t *testing.T, d *design.Design, q []int64) (eval, exact float64) {
	t.Helper()
	n, eval := predicted(t, d, q)
	x, err := buffers.Static(n)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x.Throughput(make([]float64, len(d.Problem.Application.Edges)))
	if err != nil {
		t.Fatal(err)
	}
	return eval, bytes / x.Bytes
}

// TestPublished: for published graphs, with cycles and without, eval and the exact analysis of the import predict the
// throughput of executing them firing by firing.
func TestPublished(t *testing.T) {
	for name, g := range published() {
		f := graphOf(t, name, g[0], g[1])
		a, err := FromSDF3(f, name+".xml", time.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		eval, exact := evaluated(t, load(t, a), a.repetition)
		want := 1e6 / selfTimed(f, a.repetition)
		if math.Abs(eval/want-1) > 1e-9 || math.Abs(exact/want-1) > 1e-9 {
			t.Errorf("%s: eval predicts %.12g iterations/s, exact analysis %.12g; executed %.12g", name, eval, exact,
				want)
		}
	}
}

// TestSlackLoops: in a graph with a critical loop and two loops with slack, the critical loop bounds the throughput.
// It has 4 elements every 169 us, so that a0, which fires twice in an iteration, fires once in that time.
func TestSlackLoops(t *testing.T) {
	f := graphOf(t, "slack", "a0 12, a1 25, a2 19, a3 40, a4 28, a5 37", "a0 1 2 a1, a1 4 1 a2, a0 3 1 a3, a1 6 1 a4, "+
		"a3 2 3 a5, a2 1 2 a0 8, a4 1 3 a0 18, a5 2 4 a0 4")
	a, err := FromSDF3(f, "slack.xml", time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	eval, exact := evaluated(t, load(t, a), a.repetition)
	const want = 1 / (2 * 169e-6)
	if math.Abs(eval/want-1) > 1e-9 || math.Abs(exact/want-1) > 1e-9 {
		t.Errorf("eval predicts %.12g iterations/s, exact analysis %.12g; want %.12g", eval, exact, want)
	}
}

// TestDefaultProcessor: of several processors marked as default the last one counts, as for SDF3.
func TestDefaultProcessor(t *testing.T) {
	f := graphOf(t, "two", "a 5, b 2", "a 1 1 b")
	f.Graph.Actors[0].Processors = []sdf3.Processor{{Type: "p1", Default: true, Time: 5}, {Type: "p2", Time: 1},
		{Type: "p3", Default: true, Time: 7}}
	a, err := FromSDF3(f, "two.xml", time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	if k := &a.Kernels[0]; k.Times[k.Default].Text != "7us" {
		t.Errorf("the default of a is %+v", k.Times[k.Default])
	}
}

// TestDrawn: likewise for random graphs with cycles; deadlocked ones are refused.
func TestDrawn(t *testing.T) {
	runs, stops := 0, 0
	for seed := range uint64(250) {
		f := randomFile(rand.New(rand.NewPCG(seed, 4)))
		a, err := FromSDF3(f, "drawn.xml", time.Microsecond)
		if err != nil {
			if !strings.Contains(err.Error(), "the graph deadlocks with any buffer sizes: k") {
				t.Fatal(seed, err)
			}
			stops++
			continue
		}
		runs++
		period := selfTimed(f, a.repetition)
		if period < 0 {
			t.Fatal(seed, "no period")
		}
		eval, exact := evaluated(t, load(t, a), a.repetition)
		if want := 1e6 / period; math.Abs(eval/want-1) > 1e-9 || math.Abs(exact/want-1) > 1e-9 {
			t.Errorf("seed %d: eval predicts %.12g iterations/s, exact analysis %.12g; executed %.12g", seed, eval,
				exact,
				want)
		}
	}
	if runs < 100 || stops < 10 {
		t.Errorf("%d run and %d stop", runs, stops)
	}
}

// TestSDF3RoundTrip: export and import restore the graph.
func TestSDF3RoundTrip(t *testing.T) {
	for name, g := range published() {
		f := graphOf(t, name, g[0], g[1])
		f.Graph.Channels[0].Buffer = 4000
		a, err := FromSDF3(f, name+".xml", time.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		out, notes, err := ToSDF3(load(t, a), time.Microsecond)
		if err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		again, err := FromSDF3(out, name+".xml", time.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Notes) > 0 || !reflect.DeepEqual(a.Kernels, again.Kernels) || !reflect.DeepEqual(a.Edges,
			again.Edges) {
			t.Errorf("%s: %v\n%+v\n%+v\n%+v\n%+v", name, again.Notes, a.Kernels, again.Kernels, a.Edges, again.Edges)
		}
	}
}

const tasks = `@COMMUN_QUANT 0 {
0 4E3
1 8
}
@TASK_GRAPH 3 {
	PERIOD 0.5
	TASK src	TYPE 5
	TASK rgb-yiq	TYPE 1
	TASK sink	TYPE 1
	ARC a0 	FROM src  TO  rgb-yiq TYPE 0
	ARC a1	FROM rgb-yiq TO sink TYPE 1
	ARC a2	FROM src TO sink TYPE 7
	SOFT_DEADLINE d1 ON sink AT 0.4
	HARD_DEADLINE d0 ON rgb-yiq AT 0.2
}
@PE 0 {
# type version valid exec_time
  5    0  1   0.5
  1    0  1   20e-6
}
@PE 4 {
# type version valid exec_time
  5    0  0   0.5
  1    0  1   1e-6
}
`

// TestTGFF: tasks, arcs and tables are imported, and exported unchanged.
func TestTGFF(t *testing.T) {
	f, err := tgff.Read("tasks.tgff", strings.NewReader(tasks))
	if err != nil {
		t.Fatal(err)
	}
	a, err := FromTGFF(f, 3, "tasks.tgff", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kernel{{"src", "SRC", []Time{{0, "0.5s", constant, ""}}, 0, 0}, {"rgb_yiq", "RGB_YIQ", []Time{{0, "20us",
		constant, ""}, {1, "1us", constant, ""}}, 0, 0},
		{"sink", "SINK", []Time{{0, "20us", constant, ""}, {1, "1us", constant, ""}}, 0, 0}}
	if !reflect.DeepEqual(a.Kernels, want) || a.Edges[0].Bytes != 4000 || a.Edges[1].Bytes != 8 ||
		a.Edges[2].Bytes != 1 {
		t.Errorf("%+v\n%+v", a.Kernels, a.Edges)
	}
	notes := strings.Join(fault.Texts(a.Notes), "\n")
	for _, want := range []string{`"rgb-yiq" is rgb_yiq`, "no table states the data size of 1 arc",
		"at least 2 iterations/s",
		"2 deadlines are not part of the application (the earliest is d0 of 0.2s on task rgb-yiq)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in %s", want, notes)
		}
	}
	out, more, err := ToTGFF(load(t, a), time.Second)
	if err != nil || len(more) > 0 {
		t.Fatal(more, err)
	}
	again, err := FromTGFF(out, 0, "tasks.tgff", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Notes) > 0 || !reflect.DeepEqual(a.Kernels, again.Kernels) || !reflect.DeepEqual(a.Edges,
		again.Edges) {
		t.Errorf("%v\n%+v\n%+v", again.Notes, again.Kernels, again.Edges)
	}
	if _, err := FromTGFF(f, 1, "tasks.tgff", time.Second); err == nil ||
		err.Error() != "tasks.tgff: unknown task graph 1; the file contains task graph 3" {
		t.Error(err)
	}
}

// TestNotes: differences from the file are reported, and names are valid in X.
func TestNotes(t *testing.T) {
	f := graphOf(t, "my graph", "input 3, Input 4, 9-a 0", "input 1 1 Input, Input 2 1 9-a")
	g := f.Graph
	g.Channels = g.Channels[:2+2] // 9-a has no self-loop
	g.Channels[2].Initial = 3
	g.Channels[0].TokenBits = 12
	g.Channels[1].TokenBits = 0
	g.Actors = append(g.Actors, sdf3.Actor{Name: "lone"})
	f.Tiles = []sdf3.Tile{{Name: "t 1", Processor: "p", Type: "C"}, {Name: "t2", Processor: "p", Type: "p1"},
		{Name: "ni"}}
	f.Connections = []sdf3.Connection{{Name: "c", From: 0, To: 1, Delay: 3}, {Name: "d", From: 1, To: 0, Delay: 3}}
	a, err := FromSDF3(f, "my \"graph\".xml", 2*time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	for _, want := range []string{`"9-a" is _9_a`,
		`types of processors that are not valid in X, or already in use: "C" is C_2`,
		"input (3): self-loops allow these numbers of firings to overlap",
		"_9_a, lone: without a self-loop, SDF3 allows any number",
		"1 channel has no token size", "the tokens of 1 channel are not whole bytes",
		"without channels to or from other kernels: lone",
		"1 actor has no execution time", "1 tile without a processor is omitted"} {
		if !strings.Contains(strings.Join(fault.Texts(a.Notes), "\n"), want) {
			t.Errorf("no note %q in\n%s", want, strings.Join(fault.Texts(a.Notes), "\n"))
		}
	}
	if l := d.Problem.Architecture.Links; len(l) != 1 || math.Abs(l[0].Latency/6e-9-1) > 1e-12 {
		t.Errorf("links %+v", l)
	}
}

// TestRefuses: graphs that are no application, with the channel or the cycle.
func TestRefuses(t *testing.T) {
	for _, c := range []struct{ channels, want string }{
		{"a 2 1 b, b 1 1 c, a 1 1 c",
			"x.xml: channel c2: a produces 1 element in each firing and c consumes 1 element, but the other"},
		{"a 1 1 b, b 1 1 a, b 1 1 c", "x.xml: the graph deadlocks with any buffer sizes: a waits for 1 element on " +
			"c1 (empty)"},
		{"a 1 1 a, b 1 1 c", "actor a never fires: its self-loop c0 contains 0 of the 1 tokens"},
		{"a 1 2 a 4, b 1 1 c", "self-loop c0: a firing of actor a produces 1 token and consumes 2 tokens"},
		{"a 1 1 a 1", "no channel leads from one actor to another"},
	} {
		_, err := FromSDF3(graphOf(t, "x", "a 1, b 1, c 1", c.channels), "x.xml", time.Microsecond)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.channels, err, c.want)
		}
	}
	if _, err := FromSDF3(&sdf3.File{}, "x.xml", time.Second); err == nil {
		t.Error("no graph is an application")
	}
}

// TestExportRefuses rejects applications that are not static, or that a task graph cannot express.
func TestExportRefuses(t *testing.T) {
	f := graphOf(t, "x", "a 1, b 1", "a 1 1 b")
	a, err := FromSDF3(f, "x.xml", time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	d.Problem.Application.Edges[0].Emits = 0
	if _, _, err := ToSDF3(d, time.Second); err == nil || !strings.Contains(err.Error(),
		"not a static dataflow graph: no emit declares how many elements a firing of x.a (block A) sends on y0 "+
			"(if these counts are constant, declare them") {
		t.Error(err)
	}
	d.Problem.Application.Edges[0].Emits = 1
	if _, notes, err := ToSDF3(d, time.Second); err != nil || len(notes) != 1 ||
		!strings.Contains(notes[0].Text, "2 execution times were rounded to multiples of 1s") {
		t.Error(notes, err)
	}
	d.Problem.Application.Edges[0].Initial = 1
	if _, _, err := ToTGFF(d, time.Second); err == nil || !strings.Contains(err.Error(), "arcs of TGFF start empty") {
		t.Error(err)
	}
}

// TestPublishedFronts: for published graphs the complete front is found, starting at least sizes. Those are the sums of
// p + c - gcd(p, c) over the channels if no paths part and join again.
func TestPublishedFronts(t *testing.T) {
	for name, minimum := range map[string]float64{"h263decoder": 594 + 1 + 594, "samplerate": 1 + 4 + 8 + 14 + 5,
		"modem": 0, "satellite": 0, "h263encoder": 0} {
		g := published()[name]
		a, err := FromSDF3(graphOf(t, name, g[0], g[1]), name+".xml", time.Microsecond)
		if err != nil {
			t.Fatal(err)
		}
		d := load(t, a)
		n, err := flow.NewNetwork(d.Problem, d.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		x, err := buffers.Static(n)
		if err != nil {
			t.Fatal(err)
		}
		front, err := x.Graph.Front(context.Background(), sdf.FrontOptions{})
		if err != nil || !front.Exact {
			t.Fatal(name, front, err)
		}
		first, last := &front.Points[0], &front.Points[len(front.Points)-1]
		if last.Period != front.Max || minimum > 0 && first.Memory != int64(4*minimum) {
			t.Errorf("%s: from %d bytes, want %g, to a period of %v, want %v", name, first.Memory, 4*minimum,
				last.Period,
				front.Max)
		}
	}
}
