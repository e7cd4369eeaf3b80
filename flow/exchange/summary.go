package exchange

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// Summary is what the graph does by itself: the firings of one iteration, and how long one takes
// with a core for every kernel and buffers without end; "" where that is not known.
func (a *Application) Summary() (string, error) {
	var fires []string
	for k, n := range a.repetition {
		if k == mostTold {
			fires = append(fires, fmt.Sprintf("and %d more", len(a.repetition)-mostTold))
			break
		}
		fires = append(fires, fmt.Sprintf("%s %d", a.Kernels[k].Name, n))
	}
	text := "one iteration fires " + strings.Join(fires, ", ")
	times := make([]float64, len(a.Kernels))
	for k := range a.Kernels {
		if len(a.Kernels[k].Times) == 0 {
			return text, nil
		}
		t, err := units.ParseTime(a.Kernels[k].Times[a.Kernels[k].Default].Text)
		if err != nil {
			return "", fmt.Errorf("the time of %s: %w", a.Kernels[k].Name, err)
		}
		times[k] = t
	}
	ticks, unit := sdf.Ticks(times, a.repetition)
	for k, t := range ticks {
		a.graph.Actors[k].Time = t
	}
	p, _, err := a.graph.Throughput()
	if err != nil || p.Time == 0 {
		return text, nil // too large, or all takes no time
	}
	return fmt.Sprintf("%s; with a core for each kernel and unlimited buffers it takes %s (%s/s, exact)", text,
		units.Time(1/p.Rate()*unit), strings.TrimSpace(fmt.Sprintf("%.6g", p.Rate()/unit))), nil
}
