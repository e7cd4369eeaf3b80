package xlang_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"xopt/flow/xlang"
)

// bands is an application with an array of channels and an array of processors.
const bands = `#include "std.x"
block Source { output UNSIGNED8 y[4]; };
block Chan { config UNSIGNED32 band; config STRING name = "none"; config FLOAT32 gain = 1;
    input UNSIGNED8 x; output UNSIGNED8 y; };
block Pair { config UNSIGNED32 first = 10; input UNSIGNED8 x; output UNSIGNED8 y;
    Chan lo (band=first), hi (band=first+1); x -> lo; lo -> hi; hi.y -> y; };
block Sink { input UNSIGNED8 x; };
`

// channels returns an application with the declared instances under test.
func channels(declaration string) string {
	return bands + `block top { config UNSIGNED32 n = 4; Source source; ` + declaration +
		` Sink sink; source.y[*] -> a[*].x; a[*].y -> sink.x; }; use top;` + "\n"
}

func loadSet(src string, set map[string]string) (*xlang.Program, error) {
	p, _, err := xlang.Load([]string{"test.x"}, xlang.Options{Library: os.DirFS(library), Set: set,
		ReadFile: func(path string) ([]byte, error) {
			if path != "test.x" {
				return nil, os.ErrNotExist
			}
			return []byte(src), nil
		}})
	return p, err
}

// configsOf prints a config of all kernels of block Chan, and of all resources.
func configsOf(p *xlang.Program, config string) string {
	var out []string
	for _, k := range p.Kernels {
		if k.Block == "Chan" {
			out = append(out, k.Config[config].Text)
		}
	}
	for _, r := range p.Resources {
		out = append(out, r.Config[config].Text)
	}
	return strings.Join(out, " ")
}

// TestElements sets a separate config for each element of an array, in all forms, of instances and of resources.
func TestElements(t *testing.T) {
	const cores = `platform P: C { config UNSIGNED32 band; config STRING name = "none"; };` + "\n"
	for _, c := range []struct{ form, band, name string }{
		{"(band=1), (band=2), (band=3), (band=4)", "1 2 3 4", "none none none none"},
		{"(band=[1..4])", "1 2 3 4", "none none none none"},
		{"(band=[1, 2, 4, 8])", "1 2 4 8", "none none none none"},
		{"(band=[2*3, 7..8, 1])", "6 7 8 1", "none none none none"},
		{"(band=5)", "5 5 5 5", "none none none none"},
		{`(name="x", band=[1..4])`, "1 2 3 4", "x x x x"},
		{`(band=[1..4], name=["a", "b", "c", "d"])`, "1 2 3 4", "a b c d"},
		{`(band=1, name="a"), (band=2), (band=3), (name="d", band=4)`, "1 2 3 4", "a none none d"},
		{"{ (band=1), (band=2), (band=3), (band=4) }", "1 2 3 4", "none none none none"},
	} {
		sources := []string{bands +
			"block top { Source s; Chan z (band=1); Sink k; s.y[*] -> z; z -> k; }; use top;\n" + cores +
			"resource a[4] is P " + c.form + ";"}
		if !strings.HasPrefix(c.form, "{") {
			sources = append(sources, channels("Chan a[n] "+c.form+";"),
				channels("Chan a[4] "+c.form+", other (band=1); source.y[1] -> other; other -> sink;"))
		}
		for _, src := range sources {
			p, err := loadSet(src, nil)
			if err != nil {
				t.Errorf("%s: %v", c.form, err)
				continue
			}
			if got := configsOf(p, "band"); !strings.Contains(got, c.band) {
				t.Errorf("%s gives band %s, want %s", c.form, got, c.band)
			}
			if got := configsOf(p, "name"); !strings.Contains(got, c.name) {
				t.Errorf("%s gives name %s, want %s", c.form, got, c.name)
			}
		}
	}
}

// TestResizedElements cuts and lengthens lists where the command line changes the number.
func TestResizedElements(t *testing.T) {
	src := bands + "block top { Source s; Chan z (band=0); Sink k; s.y[*] -> z; z -> k; }; use top;\n" +
		"platform P: C { config UNSIGNED32 band; };\nresource a[3] is P %s;"
	for _, form := range []string{"(band=1), (band=2), (band=3)", "(band=[1..3])", "{ (band=1), (band=2), (band=3) }"} {
		for n, want := range map[string]string{"2": "0 1 2", "5": "0 1 2 3 3 3"} {
			p, err := loadSet(fmt.Sprintf(src, form), map[string]string{"a": n})
			if err != nil {
				t.Fatal(err)
			}
			if got := configsOf(p, "band"); got != want {
				t.Errorf("%s with --set a=%s gives %s, want %s", form, n, got, want)
			}
		}
	}
}

// TestElementMistakes places wrong counts where they stand.
func TestElementMistakes(t *testing.T) {
	prefix := strings.Count(bands, "\n")
	for _, c := range []struct{ src, at, message, hint string }{
		{"Chan a[4] (band=1), (band=2), (band=3);", "83", "top.a has 4 elements but 3 lists of configs",
			"one list per element"},
		{"Chan a[2] (band=1), (band=2), (band=3);", "83", "top.a has 2 elements but 3 lists of configs", ""},
		{"Chan a[4] (band=[1..3]);", "69", "top.a has 4 elements, but config 'band' has 3 values",
			"one value per element"},
		{"Chan a[4] (band=[3..1]);", "69", "[3..1] is not a range of whole numbers", ""},
		{"Chan a[4] (band=[1..2.5]);", "69", "is not a range of whole numbers", ""},
		{"Chan a (band=[1, 2]);", "66", "top.a is not an array but has a list of values", "write one value"},
		{"Chan a (band=1), (band=2);", "70", "top.a is not an array but has 2 lists of configs", ""},
		{"Chan a[4] (band=[1..4]), (band=2), (band=3), (band=4);", "69",
			"a list of values is only allowed", ""},
		{"Chan a[4] (gain=[1..4]);", "58", "needs a value for config 'band'", ""},
	} {
		_, err := loadSet(channels(c.src), nil)
		if err == nil {
			t.Errorf("%s is accepted", c.src)
			continue
		}
		want := fmt.Sprintf("test.x:%d:%s: ", prefix+1, c.at)
		if got := err.Error(); !strings.Contains(got, want) || !strings.Contains(got, c.message) ||
			!strings.Contains(got, c.hint) {
			t.Errorf("%s: want %s%s (%s), got\n%v", c.src, want, c.message, c.hint, got)
		}
	}
	for src, want := range map[string]string{
		"resource a[3] is C (freq=1), (freq=2);":                         "'a' has 3 elements but 2 lists of configs",
		"resource a[3] is C (freq=[1..2]);":                              "but config 'freq' has 2 values",
		"resource a is C (freq=[1..2]);":                                 "resource 'a' is not an array",
		"resource b[2] is C; resource a is bus ({b}, bandwidth=[1..2]);": "a list of values is only allowed",
	} {
		if _, err := loadSet(bands+src, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %s, got %v", src, want, err)
		}
	}
}

// TestSetKernels overrides configs of instances from the command line.
func TestSetKernels(t *testing.T) {
	src := bands + `block top { Source source; Pair a[2]; Chan b[2] (band=[3..4]); Sink sink;
    source.y[1..2] -> a[*]; source.y[3..4] -> b[*]; a[*].y -> sink.x; b[*].y -> sink.x; }; use top;` + "\n"
	for _, c := range []struct{ set, want string }{
		{"", "10 11 10 11 3 4"},
		{"top.b[2].band=7", "10 11 10 11 3 7"},
		{"top.b.band=7", "10 11 10 11 7 7"},
		{"top.b[*].band=7", "10 11 10 11 7 7"},
		{"top.b[1..2].band=7 top.b[1].band=8", "10 11 10 11 8 7"},
		{"top.a[2].lo.band=9", "10 11 9 11 3 4"},
		{"top.a.hi.band=9", "10 9 10 9 3 4"},
		{"top.a[1].first=20", "20 21 10 11 3 4"},
		{"top.a.first=20 top.a[2].lo.band=5", "20 21 5 21 3 4"},
	} {
		p, err := loadSet(src, assignments(c.set))
		if err != nil {
			t.Errorf("--set %s: %v", c.set, err)
			continue
		}
		if got := configsOf(p, "band"); got != c.want {
			t.Errorf("--set %s gives %s, want %s", c.set, got, c.want)
		}
	}
	for _, c := range []struct{ set, want, hint string }{
		{"top.a.lo.bnd=9", "top.a.lo has no config 'bnd'", "did you mean band?"},
		{"top.c.band=9", "nothing is named 'top.c'", "did you mean top."},
		{"top.a.low.band=9", "nothing is named 'top.a.low'", "did you mean top.a.lo?"},
		{"top.b[3].band=9", "nothing is named 'top.b[3]'", "array indices start at 1"},
		{"top.b[x].band=9", "nothing is named 'top.b[x]'", ""},
		{"top.b[0].band=9", "nothing is named 'top.b[0]'", ""},
		{"top.source.band=9", "top.source has no configs", ""},
		{"top.b.band=many", "config 'band' must be a number", ""},
		{"top.b.band=1.5", "config 'band' must be a whole number", "declared as UNSIGNED32"},
		{"top.b.band=-1", "config 'band' must be at least 0", ""},
		{"tap.b.band=9", "nothing is named 'tap.b'", "expected one of: top"},
	} {
		_, err := loadSet(src, assignments(c.set))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("--set %s: want %s (%s), got %v", c.set, c.want, c.hint, err)
		}
	}
	typed, err := loadSet(src, assignments("top.b.band=7"))
	if err != nil || typed.SetTypes["top.b.band"] != "UNSIGNED32" || !xlang.IsInteger(typed.SetTypes["top.b.band"]) {
		t.Errorf("types of what is set: %v, error %v", typed.SetTypes, err)
	}
	required := strings.Replace(src, "(band=[3..4])", "", 1)
	if _, err := loadSet(required, assignments("top.b.band=7")); err != nil {
		t.Errorf("a config without a value that the command line gives: %v", err)
	}
}

func assignments(text string) map[string]string {
	set := make(map[string]string)
	for _, s := range strings.Fields(text) {
		name, value, _ := strings.Cut(s, "=")
		set[name] = value
	}
	return set
}
