package predict

import (
	"slices"
	"testing"

	"xopt/mapper"
	"xopt/mapper/result"
)

// TestFrontMembers checks that members of a front that are no better than another one as printed are left out, and that
// nothing is compared if only some were simulated with buffers.
func TestFrontMembers(t *testing.T) {
	member := func(rate, latency result.Number) result.Candidate {
		return result.Candidate{Throughput: rate, Measures: &result.Measures{Latency: latency}}
	}
	r := &result.Result{Search: &result.Search{Objectives: []string{mapper.Throughput.String(),
		mapper.Latency.String()}}, Candidates: []result.Candidate{member(5.161e6, 2.181e-3), member(5.02e6, 2.1795e-3),
		member(4.791e6, 2.0e-3), member(4.788e6, 1.9996e-3), member(1e6, 1e-3)}}
	if got := FrontMembers(r); !slices.Equal(got, []int{0, 2, 4}) {
		t.Errorf("the members %v remain", got)
	}
	r.Candidates[4] = member(6e6, 2.5e-3) // finite buffers cost the others more
	if got := FrontMembers(r); !slices.Equal(got, []int{4, 0, 2}) {
		t.Errorf("the order is %v", got)
	}
	r.Candidates[1].WithBuffers = &result.WithBuffers{}
	if got := FrontMembers(r); got != nil {
		t.Errorf("the members %v are compared", got)
	}
	r.Candidates[1].WithBuffers, r.Search.Objectives = nil, r.Search.Objectives[:1]
	if got := FrontMembers(r); got != nil {
		t.Errorf("one objective: the members %v are compared", got)
	}
}
