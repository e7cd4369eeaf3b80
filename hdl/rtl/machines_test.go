package rtl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestMachines finds the state machines of cores in common styles, with exactly the names of their states. The first
// line of each core lists the expected machines.
func TestMachines(t *testing.T) {
	testkit.Tools(t, "verilator", "ghdl")
	cache := UserCache(t.Context())
	paths, err := filepath.Glob("testdata/machines/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 25 {
		t.Errorf("there are %d cores, want 25 at least", len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := &Module{Top: "k"}
			f := file{filepath.Base(path), string(text)}
			if strings.HasSuffix(path, ".vhd") {
				m.vhdl = []file{f}
				made, err := cache.fromVHDL(t.Context(), m.vhdl, Source{Top: "k"})
				if err != nil {
					t.Fatal(err)
				}
				f = file{"k.ghdl.v", made}
			}
			m.verilog = []file{f}
			found, err := cache.Machines(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := strings.Cut(string(text), "\n")
			if got := machineWords(found); got != normal(want[3:]) {
				t.Errorf("found %s, want %s", got, normal(want[3:]))
			}
			for i := range found {
				checkPlace(t, &found[i], string(text), path)
			}
		})
	}
}

// machineWords returns the found machines in the notation of the cores.
func machineWords(list []Machine) string {
	if len(list) == 0 {
		return "none"
	}
	var words []string
	for _, m := range list {
		var states []string
		for _, s := range m.States {
			name := s.Name
			if name == "" {
				name = "?"
			}
			states = append(states, fmt.Sprintf("%s=%d", name, s.Code))
		}
		words = append(words, m.Path+": "+strings.Join(states, " "))
	}
	return normal(strings.Join(words, " | "))
}

// normal sorts machines and states.
func normal(text string) string {
	machines := strings.Split(text, " | ")
	for i, m := range machines {
		if path, list, ok := strings.Cut(m, ": "); ok {
			states := strings.Fields(list)
			slices.Sort(states)
			machines[i] = path + ": " + strings.Join(states, " ")
		}
	}
	slices.Sort(machines)
	return strings.Join(machines, " | ")
}

// checkPlace checks that the line of a machine declares its register.
func checkPlace(t *testing.T, m *Machine, text, path string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	name := m.Path[strings.LastIndexByte(m.Path, '.')+1:]
	if m.File != filepath.Base(path) || m.Line < 1 || m.Line > len(lines) || !strings.Contains(lines[m.Line-1], name) {
		t.Errorf("%s is said to be declared at %s:%d", m.Path, m.File, m.Line)
	}
}
