package main

import (
	"encoding/json"
	"strings"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestManyJoins checks that, if eval cannot analyse all joins of an application, the sizes of edges into the others
// are heuristic, with the reason.
func TestManyJoins(t *testing.T) {
	testkit.Long(t, "it evaluates an application of 1600 kernels")
	t.Parallel()
	paths, err := bigApp{Shape: bigLayers, Kernels: 1600, Arrays: true, Spread: true}.Write().Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, _, out := spent(t.Context(), t, append([]string{"eval", "--json"}, paths...)...)
	var r result.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	left, all := 0, 0
	for _, q := range r.Candidates[0].Queues {
		if q.Recommended == nil {
			continue
		}
		all++
		if strings.Contains(q.Recommended.Reason, "too many joins and forks") {
			if left++; q.Recommended.Level != "heuristic" {
				t.Errorf("%s: the size is %s: %s", q.Edge, q.Recommended.Level, q.Recommended.Reason)
			}
		}
	}
	if left == 0 || left == all {
		t.Errorf("%d of %d sizes are of joins that were not looked at", left, all)
	}
}
