package opponents

import (
	"context"
	"math"
	"testing"
	"time"

	"xopt/bench/arena"
	"xopt/internal/testkit"
)

// TestFronts: on small graphs, no period of xopt's front of period and cores is longer than the period of the exact
// method, and most are equal.
func TestFronts(t *testing.T) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	list, err := arena.Load("csdf-tue", "", "mp3playback")
	if err != nil {
		t.Fatal(err)
	}
	fronts, err := arena.Fronts(context.Background(), list, &arena.Options{SearchOptions: arena.SearchOptions{
		Time: 2 * time.Second, Threads: 2, Seed: 1}}, MILPOn)
	if err != nil || len(fronts) != len(list) {
		t.Fatalf("%d fronts of %d instances: %v", len(fronts), len(list), err)
	}
	points, equal := 0, 0
	for i := range fronts {
		f := &fronts[i]
		last := math.Inf(1)
		for _, x := range f.Points {
			if points++; x.Opponent > 0 && x.Period > x.Opponent*(1+1e-5) {
				t.Errorf("%s, %d cores: period %g s, exact %g s", f.Name, x.Cores, x.Period, x.Opponent)
			}
			if math.Abs(x.Period/x.Opponent-1) < 1e-5 {
				equal++
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
	if equal < points/2 {
		t.Errorf("%d of %d periods are equal", equal, points)
	}
}
