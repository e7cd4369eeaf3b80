package result

import "testing"

// TestRecommendedOf checks the recommended size of a buffer, and that there may be none.
func TestRecommendedOf(t *testing.T) {
	c := &Candidate{Queues: []Queue{{Edge: "top.a"}, {Edge: "top.b",
		Recommended: &Recommendation{Estimate: Estimate{Elements: 64.5}}}}}
	got := [3]int{c.RecommendedOf("top.a"), c.RecommendedOf("top.b"), (*Candidate)(nil).RecommendedOf("top.b")}
	if got != [3]int{0, 65, 0} {
		t.Errorf("sizes %v", got)
	}
}
