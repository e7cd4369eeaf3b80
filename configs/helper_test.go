package configs_test

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

var update = flag.Bool("update", false, "write the tables into the README files")

// loadWith reads files of an example and returns their design.
func loadWith(t *testing.T, opt design.Options, set map[string]string, example string, files ...string) *design.Design {
	t.Helper()
	return flowtest.X{Dir: "examples/" + example, Files: files, Set: set}.Design(t, opt)
}

// load reads files of an example that contain a mapping.
func load(t *testing.T, example string, files ...string) *design.Design {
	t.Helper()
	return loadWith(t, design.Options{Purpose: design.ForMapping}, nil, example, files...)
}

// bottleneck returns the resource or link that limits a mapping.
func bottleneck(n *flow.Network, s *flow.Solution) string {
	l := n.Limits[s.Bottlenecks[0].Limits[0]]
	if l.Link >= 0 {
		return n.Problem.Architecture.Links[l.Link].Name
	}
	return n.Problem.Architecture.Resources[l.Resource].Name
}

// near compares a number with a reference.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s = %.6g, want %.6g within %g (off by %.3g)", what, got, want, relative, got/want-1)
	}
}

// station returns the state of a kernel's station.
func station(t *testing.T, n *flow.Network, s *flow.Solution, kernel string) flow.StationState {
	t.Helper()
	for i, st := range n.Stations {
		if st.Kind == flow.KernelStation && st.Name == kernel {
			return s.Stations[i]
		}
	}
	t.Fatalf("no station %s", kernel)
	return flow.StationState{}
}

// checkTable compares the text between the table marks of a README with the computed table; -update writes it.
func checkTable(t *testing.T, readme, name, table string) {
	t.Helper()
	start, stop := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), start)
	old, after, ok2 := strings.Cut(rest, stop)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for table %s", readme, name)
	}
	t.Logf("%s:\n%s", name, table)
	if old == table {
		return
	}
	if !*update {
		t.Errorf("%s: table %s is not what is computed; run `go test ./configs -update`. Computed:\n%s", readme, name,
			table)
		return
	}
	if err := os.WriteFile(readme, []byte(before+start+table+stop+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
