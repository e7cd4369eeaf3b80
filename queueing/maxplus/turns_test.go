package maxplus

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTurnsLikeEvents checks that servers that choose give the departure times of the event simulation, to the last
// bit. The runs are so long that they reach all limits on a server's lead.
func TestTurnsLikeEvents(t *testing.T) {
	const events = 20_000
	compared, stopped := 0, 0
	for seed := range uint64(400) {
		n := randomNetwork(rand.New(rand.NewPCG(seed, 2)), Turns, true)
		for i := range n.Stations {
			st := &n.Stations[i]
			if st.Service == nil {
				st.Service = Constant(.5)
			}
			if st.Bulk > 0 {
				st.Flush = math.Inf(1)
			}
		}
		lists := [2][]departure{}
		var finish float64
		var stops [2]bool
		for k, occupancy := range []bool{false, true} { // occupancy requires the event simulation
			s, err := New(n)
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Run(t.Context(), Options{Events: events, Seed: seed, Occupancy: occupancy,
				Departure: func(i int, time float64) { lists[k] = append(lists[k], departure{i, time}) }})
			if err != nil {
				t.Fatal(err)
			}
			if finish = res.Time; k == 0 && !s.run.choices {
				lists[1] = nil
				break
			}
			if stops[k] = res.Deadlock != nil; k == 0 {
				compared++
				lists[0] = slices.DeleteFunc(lists[0], func(d departure) bool {
					return res.Deadlock == nil && d.time >= finish
				})
			}
		}
		if lists[1] == nil {
			continue
		}
		if stops[0] != stops[1] || stops[0] && len(lists[0]) != len(lists[1]) {
			t.Fatalf("seed %d: stops is %t after %d firings, want %t after %d", seed, stops[0],
				len(lists[0]), stops[1], len(lists[1]))
		}
		if stops[0] {
			stopped++
		}
		a, b := byStation(len(n.Stations), lists[0]), byStation(len(n.Stations), lists[1])
		for i := range a {
			both := min(len(a[i]), len(b[i]))
			if !slices.Equal(a[i][:both], b[i][:both]) {
				t.Fatalf("seed %d: station %d departs at other times", seed, i)
			}
			if 2*both < len(b[i]) {
				t.Errorf("seed %d: station %d departs %d times, want %d", seed, i, len(a[i]), len(b[i]))
			}
		}
	}
	if compared < 100 || stopped > compared-40 {
		t.Errorf("%d networks compared, %d of them stop", compared, stopped)
	}
}
