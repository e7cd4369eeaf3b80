package flow

import (
	"context"
	"math"
	"testing"
)

// TestStationLoads compares the state of every station with the network's solution.
func TestStationLoads(t *testing.T) {
	checked := 0
	forRandomNetworks(t, 300, anyShape, func(t *testing.T, seed uint64, n *Network) {
		s, err := NewScorer(n.Problem, n.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		if n.Flows.Free > 1 {
			return // the optimum need not be unique
		}
		want, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Operate(); !near(got, want.Throughput, 0) {
			t.Fatalf("seed %d: throughput %g, want %g", seed, got, want.Throughput)
		}
		for i, st := range n.Stations {
			var l StationLoad
			if st.Kind == LinkStation {
				l = s.LinkLoad(st.Edge, st.Link)
			} else {
				l = s.KernelLoad(st.Kernel)
			}
			state := want.Stations[i]
			rho := l.Own / (1 - (l.Total - l.Own))
			if !near(l.Rate, state.ArrivalRate, 0) || math.Abs(rho-state.Utilization) > 1e-6 {
				t.Fatalf("seed %d, %s: rate %g utilization %g of %g, want %g and ρ %g", seed, st.Name, l.Rate, l.Own,
					l.Total, state.ArrivalRate, state.Utilization)
			}
			checked++
		}
	})
	if checked == 0 {
		t.Fatal("nothing was checked")
	}
}
