package arena

import (
	"context"
	"math"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	for _, s := range Shipped() {
		list, err := Load(s, "")
		if err != nil {
			t.Fatal(err)
		}
		for n := range list {
			if n%9 != 0 && s != "dvbs2-amp" {
				continue
			}
			i := &list[n]
			f, err := i.Search(context.Background(), SearchOptions{Time: time.Second, Threads: 1, Seed: 1})
			if err != nil {
				t.Error(err)
				continue
			}
			t.Logf("%s: %.7g published %.7g bound %.7g gap %.3f%% proven %v best %v all %v rate %.3g %s", i.Problem.Name,
				f.Period, i.Published, f.Bound, 100*f.Gap(), f.Proven, f.Best, f.Elapsed, f.Rate, f.Left)
			if p := i.Problem.Period(f.Placement); math.Abs(p/f.Period-1) > 1e-9 {
				t.Errorf("%s: period %g by X, %g by the problem", i.Problem.Name, f.Period, p)
			}
		}
	}
}
