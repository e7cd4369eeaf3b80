package tgff

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestGenerate: graphs have the requested number of tasks, no cycle, and are connected. Their degrees are within the
// limits, and take every value.
func TestGenerate(t *testing.T) {
	d := Degrees{In: 4, Out: 4}
	var ins, outs [5]int
	for seed := range uint64(200) {
		n := 1 + int(seed)%80
		g := Generate(n, d, rand.New(rand.NewPCG(seed, 1)))
		if len(g.Tasks) != n {
			t.Fatalf("seed %d: %d tasks, want %d", seed, len(g.Tasks), n)
		}
		if err := g.check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in, out := make([]int, n), make([]int, n)
		seen := make(map[[2]int]bool)
		for _, a := range g.Arcs {
			if a.From >= a.To || seen[[2]int{a.From, a.To}] {
				t.Fatalf("seed %d: arc from %d to %d", seed, a.From, a.To)
			}
			seen[[2]int{a.From, a.To}] = true
			in[a.To]++
			out[a.From]++
		}
		for i := range n {
			if in[i] > d.In || out[i] > d.Out || i > 0 && in[i] == 0 {
				t.Fatalf("seed %d: task %d has %d arcs in and %d out", seed, i, in[i], out[i])
			}
			ins[in[i]]++
			outs[out[i]]++
		}
		if again := Generate(n, d, rand.New(rand.NewPCG(seed, 1))); !reflect.DeepEqual(again, g) {
			t.Fatalf("seed %d draws another graph the second time", seed)
		}
	}
	for i := 1; i <= 4; i++ {
		if ins[i] == 0 || outs[i] == 0 {
			t.Errorf("no task has %d arcs in, or none has %d out", i, i)
		}
	}
}

// sample contains the typical features of TGFF and E3S files. These are periods, deadlines, attributes of a
// processing element before its table, keywords in lower case, and tables without headings.
const sample = `# Command line: tgff
@HYPERPERIOD 300

@COMMUN_QUANT 0 {
0 4E3
1 8E3
}

@TASK_GRAPH 0 {
	PERIOD 300

	TASK src	TYPE 45
	TASK rgb-yiq	TYPE 1 host 0
	TASK sink	TYPE 1

	ARC a0_0 	FROM src  to  rgb-yiq TYPE 0
	ARC a0_1	FROM rgb-yiq TO sink TYPE 1
	HARD_DEADLINE d0_0 ON sink AT 300
}

@PE 0 {
# price    area
  79.06    0.2
#------------------------------------
# type version exec_time
  45   0   0.5
  1    0   20e-6
}
`

func TestRead(t *testing.T) {
	f, err := Read("sample.tgff", strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := []Graph{{ID: 0,
		Tasks: []Task{{"src", 45}, {"rgb-yiq", 1}, {"sink", 1}},
		Arcs:  []Arc{{"a0_0", 0, 1, 0}, {"a0_1", 1, 2, 1}}, Period: 300, Deadlines: []Deadline{{"d0_0", 2, 300}}}}
	if !reflect.DeepEqual(f.Graphs, want) {
		t.Errorf("got %+v", f.Graphs)
	}
	if len(f.Tables) != 2 {
		t.Fatalf("tables %+v", f.Tables)
	}
	if sizes, ok := f.Tables[0].Column("commun_quant"); !ok || sizes[1] != 8e3 {
		t.Errorf("sizes %v", sizes)
	}
	if times, ok := f.Tables[1].Column("task_time", "exec_time"); !ok || len(times) != 2 || times[45] != 0.5 ||
		times[1] != 20e-6 {
		t.Errorf("times %v of %+v", times, f.Tables[1])
	}
	if _, ok := f.Tables[1].Column("type", "price"); ok {
		t.Error("there is a column of prices")
	}
}

// TestSizesInBits: sizes in bits become bytes without rounding.
func TestSizesInBits(t *testing.T) {
	f := &File{Tables: []Table{{Name: "COMMUN 0", Columns: []string{"type", "bits"},
		Rows: [][]float64{{0, 8}, {1, 1024}, {2, 12}}}}}
	if want := map[int]float64{0: 1, 1: 128, 2: 1.5}; !reflect.DeepEqual(f.Sizes(), want) {
		t.Errorf("got %v, want %v", f.Sizes(), want)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":     {"", "contains no @TASK_GRAPH"},
		"text":      {"hello\n", `bad.tgff:1: found "hello"`},
		"cut":       {"@TASK_GRAPH 0 {\nTASK a TYPE 0\n", "ends within task graph 0"},
		"no number": {"@TASK_GRAPH {\n}\n", "expected @TASK_GRAPH NUMBER {"},
		"no type":   {"@TASK_GRAPH 0 {\nTASK a b c\n}\n", "bad.tgff:2: TASK has no TYPE"},
		"bad type":  {"@TASK_GRAPH 0 {\nTASK a TYPE x\n}\n", `the type is "x"`},
		"same name": {"@TASK_GRAPH 0 {\nTASK a TYPE 0\nTASK a TYPE 0\n}\n", "two tasks are named a"},
		"unknown task": {"@TASK_GRAPH 0 {\nTASK a TYPE 0\nARC x FROM a TO b TYPE 0\n}\n",
			`bad.tgff:3: no task "b" is declared above this line`},
		"cycle": {"@TASK_GRAPH 0 {\nTASK a TYPE 0\nTASK b TYPE 0\nARC x FROM a TO b TYPE 0\n" +
			"ARC y FROM b TO a TYPE 0\n}\n", "has a cycle"},
		"bad table": {"@PE 0 {\n# type time\n 0 fast\n}\n", `bad.tgff:3: found "fast" in a table`},
	} {
		if _, err := Read("bad.tgff", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// FuzzRead: writing and reading an accepted file is the identity.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	var b bytes.Buffer
	if err := (&File{Graphs: []Graph{*Generate(9, Degrees{4, 4}, rand.New(rand.NewPCG(1, 2)))}}).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read("x.tgff", bytes.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := got.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := Read("x.tgff", &out)
		if err != nil || !reflect.DeepEqual(again.Graphs, got.Graphs) {
			t.Fatalf("%v: %+v is read as %+v", err, got, again)
		}
	})
}
