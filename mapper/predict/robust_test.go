package predict

import (
	"testing"

	"xopt/mapper"
	"xopt/mapper/result"
)

// TestRobustFollowsItsOrder checks that the quantiles shown decrease in the order of the ranking, although buffers
// limit the candidates differently.
func TestRobustFollowsItsOrder(t *testing.T) {
	r := &result.Result{Search: &result.Search{}, Candidates: []result.Candidate{{Throughput: 8e6,
		FlowBound: 10e6}, {Throughput: 10e6}}}
	Robust(r, &mapper.RobustReport{}, []mapper.Robustness{{Low: 5e6}, {Low: 4.9e6}})
	if x, y := r.Candidates[0].Robustness.Low, r.Candidates[1].Robustness.Low; x < y {
		t.Errorf("quantiles %g, then %g", x, y)
	}
}
