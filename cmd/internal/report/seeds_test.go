package report

import (
	"slices"
	"testing"

	"xopt/mapper/result"
)

// TestFront checks that merged fronts contain each candidate that none dominates, and equal ones once.
func TestFront(t *testing.T) {
	search := func(values ...[2]float64) *result.Result {
		r := &result.Result{}
		for _, v := range values {
			r.Candidates = append(r.Candidates, result.Candidate{Throughput: result.Number(v[0]),
				Measures: &result.Measures{Cores: int(v[1])}})
		}
		return r
	}
	searches := []*result.Result{search([2]float64{8, 4}, [2]float64{3, 1}), search(),
		search([2]float64{9, 4}, [2]float64{5, 2}, [2]float64{3, 1}, [2]float64{4, 3})}
	front, of := Front(searches, []string{"throughput", "cores"})
	var got []float64
	for i := range front {
		got = append(got, float64(front[i].Throughput))
	}
	if !slices.Equal(got, []float64{9, 5, 3}) || !slices.Equal(of, []int{2, 2, 0}) {
		t.Errorf("throughputs %v of searches %v, want 9, 5, 3 of 2, 2, 0", got, of)
	}
}
