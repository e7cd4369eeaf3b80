package opponents

import (
	"context"
	"math"
	"testing"
	"time"

	"xopt/bench/arena"
	"xopt/internal/testkit"
)

// TestFronts: on small graphs, xopt's front of period and cores is complete, and equals the exact method's.
func TestFronts(t *testing.T) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	list, err := arena.Load("farsi", "", "audio-decoder")
	if err != nil {
		t.Fatal(err)
	}
	fronts, err := arena.Fronts(context.Background(), list, &arena.Options{SearchOptions: arena.SearchOptions{
		Time: 20 * time.Second, Threads: 2, Seed: 1}}, MILPOn)
	if err != nil || len(fronts) != len(list) {
		t.Fatalf("%d fronts of %d instances: %v", len(fronts), len(list), err)
	}
	for i := range fronts {
		f := &fronts[i]
		last := math.Inf(1)
		for _, x := range f.Points {
			if x.Opponent > 0 && math.Abs(x.Period/x.Opponent-1) > 1e-5 {
				t.Errorf("%s, %d cores: period %g s, exact %g s", f.Name, x.Cores, x.Period, x.Opponent)
			}
			if x.Period > last {
				t.Errorf("%s: %d cores have a longer period than fewer cores", f.Name, x.Cores)
			}
			last = x.Period
		}
		if len(f.Points) < 2 {
			t.Errorf("%s: %d numbers of cores", f.Name, len(f.Points))
		}
	}
}
