package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/deploy/trace"
	"xopt/deploy/xeval"
)

// workedFolder writes the trace files of the worked example (Gayen 2008, §3.3.2 and Table 3.1) and both its rule
// files, and changes to their folder.
func workedFolder(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, us := range map[string][]int64{
		"gen1_src_tpt": {0, 11, 23}, "gen2_src_tpt": {5, 18, 28}, "gen1_y0_out": {5, 17, 28},
		"gen2_y0_out": {11, 23, 33}, "sum_x0_avl": {10, 22, 33}, "sum_x0_in": {10, 22, 33}, "sum_x1_avl": {16, 28, 38},
		"sum_x1_in": {16, 28, 38}, "sum_y0_out": {17, 29, 39}, "half_x0_avl": {22, 34, 44}, "half_x0_in": {22, 42, 63},
		"half_y0_out": {26, 46, 67}, "store_src_tpt": {26, 46, 67}, "store_sink_tpt": {42, 63, 83},
		"store_x0_avl": {26, 46, 67}, "store_x0_in": {26, 46, 67},
	} {
		w, err := trace.CreateTS(filepath.Join(dir, "top_"+name+".ts"))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range us {
			if err := w.Put(at * 1e6); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../../deploy/xeval/testdata/test1.smx")
	if err != nil {
		t.Fatal(err)
	}
	const proc2 = `block proc2
    port half.x0 in_port
        event top_half_x0_avl.ts avl_event
        event top_half_x0_in.ts in_event
    port store.sink out_port
        event top_store_sink_tpt.ts out_event
    rule half.x0 -> store.sink
`
	for name, text := range map[string]string{"test1.smx": string(text), "proc2.smx": proc2} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// TestXeval checks the table of Fig. 4.18, as text and as JSON.
func TestXeval(t *testing.T) {
	workedFolder(t)
	out, _ := typedLine(t, 0, "xeval", "test1.smx", "--timeline", "3")
	for _, line := range []string{"gen1 rule1 3 0 - 0 5.33", "gen2 rule1 3 0 - 0 5.33", "sum rule1 3 0 - 0 1",
		"half rule1 3 9", "store rule1 3 0 - 0 16.3"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	has(t, "xeval --timeline", out, "half start", "top_half_x0_in.ts", "83 us")
	out, _ = typedLine(t, 0, "xeval", "test1.smx", "--json", "--out", "times")
	var r xeval.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Blocks) != 5 ||
		r.Blocks[3].Rules[0].Text != "half.x0 -> half.y0" || r.Blocks[3].Rules[0].Wait.Mean != 9e-6 {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := os.Stat("times/half_rule1_wait.ts"); err != nil {
		t.Error(err)
	}
	typedLine(t, 0, "xeval", "test1.smx", "--out", "times") // replaces its earlier output
	typedLine(t, 0, "xeval", "test1.smx", "--report", "page.html", "--csv", "tables", "--timeline", "3")
	if text, err := os.ReadFile("page.html"); err != nil || !strings.Contains(string(text), "half.x0 -&gt; half.y0") {
		t.Errorf("page: %v", err)
	}
}

// TestXevalRule checks the end-to-end latency (Fig. 4.16), without a rule file.
func TestXevalRule(t *testing.T) {
	workedFolder(t)
	out, _ := typedLine(t, 0, "xeval", "--trace", ".", "--rule", "gen1.src -> store.sink", "--rule",
		"half.x0 -> half.y0")
	has(t, "xeval --rule", strings.Join(strings.Fields(out), " "), "rules rule1 3 0 - 0 51.3", "rules rule2 3 9")
	_, errs := typedLine(t, 2, "xeval", "--trace", ".", "--rule", "gen1.src -> store.sunk")
	has(t, "xeval --rule", errs, "rule 1:1:13: error: the trace has no port or testpoint store.sunk (available: "+
		"top_gen1.src",
		"gen1.src -> store.sunk")
	_, errs = typedLine(t, 2, "xeval", "--trace", ".", "--rule", "gen1.src -> ()")
	has(t, "xeval --rule", errs, "has no ports", "f.filtered")
}

// TestXevalSubstitute checks that xmodel2 with the times of the same run reproduces the run.
func TestXevalSubstitute(t *testing.T) {
	workedFolder(t)
	typedLine(t, 0, "xeval", "proc2.smx", "-o", "times")
	out, _ := typedLine(t, 0, "xeval", "proc2.smx", "--substitute", "proc2", "--times", "times", "-o", "new")
	has(t, "xeval --substitute", out, "rule1 of block proc2: executed 3 times", "the last run finished at 83 us")
	for name, want := range map[string][]int64{"top_half_x0_in.ts": {22, 42, 63}, "top_store_sink_tpt.ts": {42, 63,
		83}} {
		f, err := trace.OpenTS(filepath.Join("new", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, us := range want {
			if ps, err := f.Next(); err != nil || ps != us*1e6 {
				t.Errorf("%s: %d ps, %v; want %d us", name, ps, err, us)
			}
		}
		_ = f.Close()
	}
}

// TestXevalDerived checks the rules that an application implies, on the same trace.
func TestXevalDerived(t *testing.T) {
	workedFolder(t)
	typedLine(t, 0, "examples", "gayen-test1")
	out, _ := typedLine(t, 0, "xeval", "gayen-test1/app.x", "gayen-test1/arch.x", "--trace", ".")
	for _, line := range []string{"top.gen1 rule1 3 0 - 0 5.33", "top.sum rule1 3 0 - 0 1", "top.half rule1 3 9"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
}

// TestXevalWrong checks that each mistake causes one error with the remedy.
func TestXevalWrong(t *testing.T) {
	workedFolder(t)
	if err := os.WriteFile("lost.smx", []byte("block b port half.x9 out_port event top_half_x9_out.ts out_event\n"+
		"port half.x0 in_port event top_half_x0_avl.ts avl_event event top_half_x0_in.ts in_event\n"+
		"rule half.x0 -> half.x9"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ args, want string }{
		{"xeval", "needs a rules file"},
		{"xeval test1.smx proc2.smx", "expected one rules file"},
		{"xeval test1.smx --rule a", "leave out test1.smx"},
		{"xeval app.x", "--trace is missing"},
		{"xeval test1.smx --substitute half", "--substitute requires"},
		{"xeval test1.smx --times x", "--times requires --substitute"},
		{"xeval none.smx", "none.smx"},
		{"xeval test1.smx --trace none", "none"},
		{"xeval lost.smx", "lost.smx:1:31: error: port half.x9: no such series"},
		{"xeval proc2.smx --substitute p --times x -o y", "proc2.smx has no block p"},
		{"xeval proc2.smx --substitute proc2 --times none -o y", "none/proc2_rule1_exec.ts"},
	} {
		_, errs := typedLine(t, 2, strings.Fields(x.args)...)
		has(t, x.args, errs, x.want)
	}
}
