package apps_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/xsim"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// queenSearch is the search of one core, step by step, with the cycles of its states.
type queenSearch struct {
	n      int
	column [16]int
	ways   uint32
	cycles map[string]uint64
}

// check compares the queen of a row with the earlier ones, one in a cycle.
func (s *queenSearch) check(row int) bool {
	s.cycles["RESET_CHECKER"]++
	for i := range row {
		s.cycles["ATTACK_CHECK"]++
		separate := s.column[row] - s.column[i]
		if separate == 0 || separate == row-i || separate == i-row {
			s.cycles["NEXT_COLUMN"]++
			return true
		}
	}
	s.cycles["PLACED"]++
	return false
}

// place places queens in the rows from the given one on, in all ways.
func (s *queenSearch) place(row int) {
	for s.column[row] = 0; s.column[row] < s.n; s.column[row]++ {
		if s.check(row) {
			continue
		}
		if row == s.n-1 {
			s.ways++
			s.cycles["FINISHED"]++
		} else {
			s.cycles["RESET_ROW"]++
			s.place(row + 1)
		}
		s.cycles["NEXT_COLUMN"]++ // including that of the row to which it returns
	}
	s.cycles["BACK"]++
}

// board counts the solutions that start with two queens.
func (s *queenSearch) board(first, second int) {
	s.ways, s.column[0], s.column[1] = 0, first, second
	if !s.check(1) {
		s.cycles["RESET_ROW"]++
		s.place(2)
		return
	}
}

// TestQueens compares the cycles of each state of a core with a search that counts them. It also checks the improvement
// that the states suggest: without the states that only prepare others, the core finds the same solutions in fewer
// cycles.
func TestQueens(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const n = 8
	s := queenSearch{n: n, cycles: make(map[string]uint64)}
	var boards, ways []byte
	sum := uint32(0)
	for i := range n * n {
		boards = binary.LittleEndian.AppendUint32(boards, uint32(i/n|i%n<<8))
		s.board(i/n, i%n)
		ways = binary.LittleEndian.AppendUint32(ways, s.ways)
		sum += s.ways
	}
	if sum != 92 {
		t.Errorf("there are %d ways, want 92", sum)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "boards"), filepath.Join(dir, "ways")
	for path, data := range map[string][]byte{in: boards, out: ways} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	complete, spent := queensRun(t, 0, in, out)
	merged, _ := queensRun(t, 1, in, out)
	for state, want := range s.cycles {
		if spent[state] != want {
			t.Errorf("%d cycles in state %s, want %d", spent[state], state, want)
		}
	}
	prepare := spent["RESET_CHECKER"] + spent["RESET_ROW"] + spent["FINISHED"]
	if complete-merged != prepare {
		t.Errorf("without states that prepare it takes %d cycles, with them %d: %d fewer, want %d", merged, complete,
			complete-merged, prepare)
	}
	t.Logf("%d cycles, in %s; merged %d: %.1f %% fewer", complete, shares(spent, complete), merged,
		100*float64(complete-merged)/float64(complete))
}

func shares(spent map[string]uint64, all uint64) string {
	text := ""
	delete(spent, "IDLE") // which continues after the end
	for _, state := range slices.Sorted(maps.Keys(spent)) {
		text += fmt.Sprintf("%s %.1f %% ", state, 100*float64(spent[state])/float64(all))
	}
	return text
}

// queensRun runs a core on all boards. It returns the cycles until the last word, and those of each state.
func queensRun(t *testing.T, merged float64, in, out string) (uint64, map[string]uint64) {
	t.Helper()
	cache := rtl.UserCache(t.Context())
	d := apptest.App{Dir: "queens", Files: []string{"app.x", "hybrid.x"}}.Load(t, "")
	k := slices.IndexFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Block == "Queens" })
	kernel := d.Program.Kernels[k]
	kernel.Config = maps.Clone(kernel.Config)
	kernel.Config["merged"] = xlang.Value{Text: fmt.Sprint(merged), Number: merged, IsNumber: true}
	m, err := xsim.OpenSource(context.Background(), cache, xsim.AnyFPGA().Implementation(d.Program, "Queens"), &kernel)
	if err != nil {
		t.Fatal(err)
	}
	machines, err := cache.Machines(context.Background(), m)
	if err != nil || len(machines) != 1 || machines[0].Path != "state" {
		t.Fatalf("the state machines are %v, error %v", machines, err)
	}
	if m, err = m.Watch(machines); err != nil {
		t.Fatal(err)
	}
	simulation, err := cache.Simulate(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := simulation.Run(context.Background(), []rtl.Feed{{Port: "x", Input: true, Element: 4, File: in},
		{Port: "y", Element: 4, File: out}}, rtl.Options{Once: true, Quiet: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Streams[1]; x.Wrong || x.Elements != 64 {
		t.Errorf("with merged %g: %+v", merged, x)
	}
	spent := make(map[string]uint64)
	all := r.Spent.States[0].Cycles[len(machines[0].States)]
	for i := range machines[0].States {
		spent[machines[0].Label(&machines[0].States[i])] = r.Spent.States[0].Cycles[i]
		all += r.Spent.States[0].Cycles[i]
	}
	if all != r.Cycles || r.Spent.Total() != r.Cycles {
		t.Errorf("%d of %d cycles are reported by state, %d by activity of the core", all, r.Cycles, r.Spent.Total())
	}
	return r.LastMove, spent
}
