package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// on returns the profile of a node with two kernels, whose service rates are known to 1 %.
func on(node, cpu string, rates ...float64) Measured {
	p := &Profile{Machine: Machine{CPU: cpu, Cores: 4, Kernel: "Linux 6"}}
	for i, r := range rates {
		f := Figure{Value: r, Windows: []float64{0.99 * r, r, 1.01 * r}}
		p.Kernels = append(p.Kernels, Kernel{Block: fmt.Sprintf("K%d", i+1), Platform: "C", ServiceRate: &f,
			ServiceSCV: &Figure{Value: float64(len(node) + i), Windows: []float64{r}}}) // which is ignored
	}
	return Measured{Node: node, Profile: p}
}

// TestTypes: nodes of one type have one profile, that of the typical node. The odd node is named with its
// differences, also if it comes first, or only its machine claims to be equal.
func TestTypes(t *testing.T) {
	old := on("n4", "A", 100, 200)
	old.Caches = "L1 16K Data"
	types := Types([]Measured{on("n1", "A", 80, 200), on("n2", "A", 100, 200), on("n3", "A", 103.9, 201),
		on("m1", "B", 300, 400), old, on("n5", "A", 100, 150)})
	if len(types) != 3 {
		t.Fatalf("%d types, want 3", len(types))
	}
	a := types[0]
	if a.Machine.CPU != "A" || len(a.Nodes) != 4 || a.Nodes[a.Typical].Node != "n2" {
		t.Errorf("the first type is %s with %d nodes, typical %s; want A with 4, n2", a.Machine.CPU, len(a.Nodes),
			a.Nodes[a.Typical].Node)
	}
	got := ""
	for _, o := range a.Odd {
		for _, d := range o.Differ {
			got += fmt.Sprintf("%s: %s %s %+.0f %% of %d; ", o.Node, d.Kernel, d.What, 100*d.Relative(), o.Figures)
		}
	}
	if want := "n1: K1 service rate -20 % of 2; n5: K2 service rate -25 % of 2; "; got != want {
		t.Errorf("odd: %q, want %q", got, want)
	}
	if b, c := types[1], types[2]; b.Nodes[0].Node != "m1" || c.Nodes[0].Node != "n4" || len(b.Odd)+len(c.Odd) > 0 {
		t.Errorf("the other types are %+v and %+v", b, c)
	}
}

// TestCaches: caches as reported by Linux.
func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"index0/level": "1\n", "index0/size": "48K\n", "index0/type": "Data\n",
		"index1/level": "2\n", "index1/size": "2048K\n", "index1/type": "Unified\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := cachesIn(dir), "L1 48K Data, L2 2048K Unified"; got != want {
		t.Errorf("caches are %q, want %q", got, want)
	}
	if got := cachesIn(filepath.Join(dir, "none")); got != "" {
		t.Errorf("caches of none are %q", got)
	}
}
