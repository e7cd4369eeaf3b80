package micro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/bench/apps"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// appForTokens unpacks an application and declares its blocks, as the comparison does.
func appForTokens(t *testing.T, name string) *rivalChain {
	t.Helper()
	dir, err := apps.Unpack(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &rivalChain{dir: dir, programs: make(map[string]string), app: rivalAppOf(name),
		o: RivalsOptions{Note: func(s string) { t.Log(s) }}}
	if r.cpus, err = twoProcessors(); err != nil {
		t.Skip(err)
	}
	if err := r.declare(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTokens checks the kernels of an application, in the order of the data, and the sources of their inputs.
func TestTokens(t *testing.T) {
	for _, name := range []string{"jpeg", "des"} {
		r := appForTokens(t, name)
		p, err := r.program(&RivalInput{App: name}, r.oneCore())
		if err != nil {
			t.Fatal(err)
		}
		g, err := tokens(p)
		if err != nil {
			t.Fatal(err)
		}
		outputs, stateless := []string(nil), 0
		for _, k := range g.Kernels {
			at := -1
			for i := range p.Kernels {
				if `"`+p.Kernels[i].Name+`"` == k.Name {
					at = i
				}
			}
			for i, in := range k.Inputs {
				if in.From >= len(outputs) {
					t.Fatalf("%s takes output %d, and %d are before it", k.Name, in.From, len(outputs))
				}
				found := false
				for _, e := range p.Edges {
					found = found || e.To == at && e.ToPort == i &&
						p.Kernels[e.From].Name+"."+p.Kernels[e.From].Outputs[e.FromPort].Name == outputs[in.From]
				}
				if !found {
					t.Errorf("input %d of %s takes %s, which no edge says", i, k.Name, outputs[in.From])
				}
			}
			for _, port := range p.Kernels[at].Outputs {
				outputs = append(outputs, p.Kernels[at].Name+"."+port.Name)
			}
			if k.Stateless {
				stateless++
			}
		}
		if want := map[string]int{"jpeg": 10, "des": 18}[name]; stateless != want || len(g.Kernels) != len(p.Kernels) {
			t.Errorf("%s: %d kernels without state of %d, want %d of %d", name, stateless, len(g.Kernels), want,
				len(p.Kernels))
		}
	}
}

// TestNoTokens checks that applications that tokens cannot represent are rejected.
func TestNoTokens(t *testing.T) {
	const blocks = "block S { output UNSIGNED8 y; }; block F { input UNSIGNED8 x; output UNSIGNED8 y; };\n" +
		"block D { input UNSIGNED8 x; };\n"
	for text, want := range map[string]string{
		"S s, r; D d, b; s -> d; r -> b;":           "2 sources",
		"S s, r; D d; s -> d; r -> d;":              "top.d.x has several edges",
		"S s; F f, g; D d; s -> d; f -> g; g -> f;": "a loop",
	} {
		p := flowtest.X{Files: []string{}, More: blocks + "block top { " + text + " }; use top;\n"}.Program(t)
		if _, err := tokens(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestRivalCases checks the list of measured cases, by parts and sizes.
func TestRivalCases(t *testing.T) {
	for _, c := range []struct {
		o    RivalsOptions
		want int
		apps string
	}{
		{RivalsOptions{}, 18, "jpeg des"}, {RivalsOptions{Only: []string{"des"}}, 1, "des"},
		{RivalsOptions{Only: []string{"skewed"}}, 4, ""}, {RivalsOptions{Only: []string{"chain"}}, 12, ""},
		{RivalsOptions{Bytes: []int{64}}, 4, ""}, {RivalsOptions{Bytes: []int{64}, Only: []string{"skewed", "jpeg"}}, 2,
			"jpeg"},
	} {
		list, names := c.o.cases(), []string(nil)
		for i := range list {
			if list[i].App != "" {
				names = append(names, list[i].App)
			} else if skew := list[i].Heavy > 0; len(c.o.Only) == 1 && skew != (c.o.Only[0] == "skewed") {
				t.Errorf("%v: a case %+v", c.o, list[i])
			}
		}
		if len(list) != c.want || strings.Join(names, " ") != c.apps {
			t.Errorf("%v: %d cases of %v, want %d of %q", c.o, len(list), names, c.want, c.apps)
		}
	}
}

// TestRivalApps runs an application on oneTBB and as deployed. Building compares their outputs. They differ if a token
// loses or duplicates data that a stateful kernel has not consumed yet.
func TestRivalApps(t *testing.T) {
	testkit.Long(t, "it builds six mappings and a program in C++")
	t.Parallel()
	cases, err := Rivals(t.Context(), RivalsOptions{Runs: 2, Window: 100 * time.Millisecond,
		Only: []string{"jpeg"}, Note: func(s string) { t.Log(s) }})
	if err != nil {
		if strings.Contains(err.Error(), "two processors") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		if c.Mapping == "" || !(c.Rates[rivalXopt].Value > 0) || !(c.Predicted > 0) || !(c.Found > 0) ||
			!(c.CPU[rivalXopt].Value > 0) {
			t.Errorf("case %+v", c)
		}
		if c.Best > 0 && (c.Best > rivalPipelineBatch || c.Ratio.N != 2 || !(c.Ratio.Value > 0) ||
			c.Settings[c.Best] == "") {
			t.Errorf("case %+v", c)
		}
	}
}

// TestTokensDiffer checks that a program whose output differs from the deployment is found and named.
func TestTokensDiffer(t *testing.T) {
	testkit.Long(t, "it builds a program in C++")
	testkit.Tools(t, "g++", "pkg-config")
	t.Parallel()
	switch _, missing, err := installed(t.Context(), "tbb", "libtbb-dev"); {
	case err != nil:
		t.Fatal(err)
	case missing != "":
		t.Skip(missing)
	}
	r := appForTokens(t, "des")
	r.app.elements = 1000
	if err := r.buildApp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.programs["oneTBB"] == "" {
		t.Fatal("the program was not built")
	}
	p, err := r.program(&RivalInput{App: "des"}, r.oneCore())
	if err != nil {
		t.Fatal(err)
	}
	q := *p // with another key
	q.Kernels = append([]xlang.Kernel(nil), p.Kernels...)
	for k := range q.Kernels {
		if q.Kernels[k].Block == "Keys" {
			q.Kernels[k].Config = xlang.Values{"decrypt": q.Kernels[k].Config["decrypt"],
				"key": {Text: "133457799BBCDFF1", Quoted: true, Type: "STRING"}}
		}
	}
	if err := r.compare(t.Context(), &q); err == nil ||
		!strings.Contains(err.Error(), "differs from the 8000 bytes of xopt") {
		t.Errorf("another key: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "tokens", "graph.h")); err != nil {
		t.Error(err)
	}
}
