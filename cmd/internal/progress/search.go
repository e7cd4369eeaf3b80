package progress

import (
	"fmt"
	"time"

	"xopt/cmd/internal/report"
	"xopt/internal/units"
	"xopt/mapper"
)

// Search shows the state of a search with a time limit or a limit of evals mappings; 0 means no limit.
func (s *Work) Search(x mapper.Progress, limit time.Duration, evals uint64, goal mapper.Objective) {
	best := "no mapping yet"
	if x.Best > 0 {
		best = "best " + units.Rate(x.Best)
		if goal != mapper.Throughput {
			best = fmt.Sprintf("best %s %s, %s", goal, report.FormatObjective(goal.String(), x.Value),
				units.Rate(x.Best))
		}
	}
	if x.Bound > 0 && x.Best > 0 && goal == mapper.Throughput {
		best += ", gap " + units.Percent(max(0, x.Bound/x.Best-1)) // relative distance to the upper bound
	}
	rate := float64(x.Evals) / max(x.Elapsed.Seconds(), 1e-9)
	s.At(best + ", " + units.Count(rate) + " mappings/s")
	left := time.Duration(0)
	if limit > 0 {
		left = max(1, limit-x.Elapsed)
	}
	if evals > 0 && rate > 0 {
		rest := time.Duration((float64(evals) - float64(x.Evals)) / rate * float64(time.Second))
		if rest = max(1, rest); left == 0 || rest < left {
			left = rest
		}
	}
	s.Left(left)
}
