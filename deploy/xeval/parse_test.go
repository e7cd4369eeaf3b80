package xeval

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xopt/flow/xlang"
)

// declared returns a block with ports x0, x1, x2 of kernel k as inputs, and y0, y1, done as outputs.
func declared(rules string) string {
	var b strings.Builder
	b.WriteString("block b\n")
	for _, p := range []string{"x0", "x1", "x2"} {
		b.WriteString("port k." + p + " in_port event k_" + p + "_avl.ts avl_event event k_" + p + "_in.ts in_event\n")
	}
	for _, p := range []string{"y0", "y1", "done"} {
		b.WriteString("port k." + p + " out_port event k_" + p + "_out.ts out_event\n")
	}
	return b.String() + rules
}

// TestRules: rules of §4.3.2 and how they are printed.
func TestRules(t *testing.T) {
	for text, want := range map[string]string{
		"rule k.x0 -> k.y0":                                    "k.x0 -> k.y0",
		"rule k.x0->k.y0":                                      "k.x0 -> k.y0",
		"rule k.x0 → k.y0":                                     "k.x0 -> k.y0",
		"rule (2k.x0 and k.x2) or 2k.x1 -> 2k.y0":              "(2 k.x0 and k.x2) or 2 k.x1 -> 2 k.y0",
		"rule 2 k.x0 and k.x2 or 2 k.x1 -> 2 k.y0":             "(2 k.x0 and k.x2) or 2 k.x1 -> 2 k.y0",
		"rule ((k.x0) and (k.x1 and (k.x2))) -> (k.y0)":        "k.x0 and k.x1 and k.x2 -> k.y0",
		"rule k.x0 or k.x1 -> k.y0 or k.y1 or k.done":          "k.x0 or k.x1 -> k.y0 or k.y1 or k.done",
		"rule /* all */ \"k.x0\" -> k.y0\nrule k.x1 -> k.y1\n": "k.x0 -> k.y0",
	} {
		f, err := Parse("t.smx", declared(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.Blocks[0].RuleText(0); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestRefused: each mistake is reported with its place and a remedy.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, place, message, hint string }{
		{declared("rule k.x0 -> k.y0 or ()"), "8:23", "no ports", "f.filtered"},
		{declared("rule -> k.y0"), "8:6", "no ports", "gen.src"},
		{declared("rule () -> k.y0"), "8:7", "no ports", "testpoint"},
		{declared("rule k.x0 ->"), "8:13", "no ports", "done"},
		{declared("rule k.x0 -> k.y0 or 2k.y0"), "8:22", "k.y0 occurs twice", "k.done"},
		{declared("rule k.x0 -> k.y0\nrule k.x0 -> 2k.y1"), "9:6", "in rule1 and in rule2", "k.src"},
		{declared("rule 2k.x0 and k.y0 -> k.y1"), "8:16", "as an out_port, but is before",
			"testpoint"},
		{declared("rule k.x0 -> k.x1"), "8:14", "as an in_port, but is after", ""},
		{declared("rule 0k.x0 -> k.y0"), "8:6", "expected 1 to", ""},
		{declared("rule 99999999999k.x0 -> k.y0"), "8:6", "expected 1 to", ""},
		{declared("rule k.x0 -> k.y"), "8:14", "has no port k.y", "did you mean k.y"},
		{declared("rule k.x0 -> q"), "8:14", "has no port q", "declare port q"},
		{declared("rule (k.x0 or k.x1) -> k.y0"), "8:12", "unexpected 'or'", "only multiples"},
		{declared("rule k.x0 k.x1 -> k.y0"), "8:11", "unexpected 'k.x1'", "->, 'and' or 'or'"},
		{declared("rule k.x0 -> k.y0 /* on"), "8:19", "comment that starts here", ""},
		{declared("rule \"k.x0 -> k.y0"), "8:6", "\" is missing", ""},
		{declared("rule k.x0 -> k.y0 event f.ts avl_event"), "8:19", "unexpected 'event'", "port, rule or block"},
		{"block b port p.x in_port event f.ts out_event", "1:26", "port p.x has an out_event, but is an in_port",
			"an avl_event and an in_event"},
		{"block b port p.x in_port event f.ts avl_event", "1:9", "has no in_event", "one file for both"},
		{"block b port p.x out_port", "1:9", "has no out_event", "event FILE"},
		{"block b port p.x out_port event a out_event event b out_event", "1:45", "two files with out_events", ""},
		{"block b port p.x out_port event a out_event port p.x out_port event a out_event", "1:45", "declared twice",
			""},
		{"block b block b", "1:9", "two blocks are named b", ""},
		{"port p.x out_port", "1:1", "unexpected 'port'", "block"},
		{"block", "1:6", "ends too early", "name of the block"},
		{"", "1:1", "the file has no block", "block top"},
		{"block b port p.x inport", "1:18", "unexpected 'inport'", "in_port or out_port"},
		{"block b \x00", "1:9", "invalid characters", ""},
	} {
		_, err := Parse("t.smx", c.text)
		ds, ok := err.(xlang.Diagnostics)
		if !ok || len(ds) == 0 {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if d := ds[0]; !strings.HasPrefix(d.Error(), "t.smx:"+c.place+": ") || !strings.Contains(d.Message,
			c.message) ||
			!strings.Contains(d.Hint, c.hint) {
			t.Errorf("%q: %v, want at %s %q with hint %q", c.text, d, c.place, c.message, c.hint)
		}
	}
}

// TestPrinted: the listings of the thesis are printed as they stand.
func TestPrinted(t *testing.T) {
	for _, name := range []string{"test1.smx", "endtoend.smx"} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := Print(&got, parsed(t, name)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Error(d)
		}
	}
}

// FuzzParse: printing and parsing an accepted text is the identity, and a rejected text has a place.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"test1.smx", "endtoend.smx"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(declared("rule (2k.x0 and k.x2) or 2 k.x1 → 2 \"k.y0\" or k.y1 /* and\nmore */"))
	f.Add("block \"a b\" port \"2\" out_port event \"->\" out_event*")
	f.Add("rule () or (")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse("t.smx", text)
		if err != nil {
			ds, ok := err.(xlang.Diagnostics)
			if !ok || len(ds) == 0 || ds[0].Pos.Line < 1 || ds[0].Pos.Column < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		var printed bytes.Buffer
		if err := Print(&printed, tree); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("t.smx", printed.String())
		if err != nil {
			t.Fatalf("%v of\n%s", err, &printed)
		}
		if d := cmp.Diff(tree, again, cmpopts.IgnoreTypes(xlang.Pos{})); d != "" {
			t.Fatal(d)
		}
	})
}

// Print writes a semantics file as [Parse] reads it, in the form of the thesis' listings.
func Print(w io.Writer, f *File) error {
	var s strings.Builder
	for i := range f.Blocks {
		b := &f.Blocks[i]
		fmt.Fprintf(&s, "block %s\n", quoted(b.Name))
		for j := range b.Ports {
			b.Ports[j].print(&s)
		}
		for j := range b.Rules {
			fmt.Fprintf(&s, "    rule %s\n", b.RuleText(j))
		}
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing rules: %w", err)
	}
	return nil
}

func (p *Port) print(s *strings.Builder) {
	side := "out_port"
	if p.Input {
		side = "in_port"
	}
	fmt.Fprintf(s, "    port %s %s\n", quoted(p.Name), side)
	for i := range p.Events {
		e := &p.Events[i]
		shown := ""
		if e.Shown {
			shown = " *"
		}
		fmt.Fprintf(s, "        event %s %s%s\n", quoted(e.File), e.Kind, shown)
	}
}
