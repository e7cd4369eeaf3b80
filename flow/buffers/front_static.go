package buffers

import (
	"context"
	"fmt"
	"strings"

	"xopt/queueing/sdf"
)

// ExactPoint is one of the exact trade of memory against throughput: no sizes of less memory, or
// as much, have more throughput.
type ExactPoint struct {
	Sizes      []float64 // elements of each edge; 0 for one over which nothing flows
	Memory     float64   // bytes of all buffers
	Throughput float64   // bytes/s of all sources together
	// Critical is the cycle that allows no more, in words: each waits for the next.
	Critical string
}

// ExactFront is the trade of memory against throughput of a mapped application whose counts and
// times are static.
type ExactFront struct {
	Points []ExactPoint // by memory, from the least that keeps the application alive
	Most   float64      // throughput with buffers without end, bytes/s
	// Whole tells that the points go on to the throughput that was to be kept; else there were
	// too many sizes to try, and the front is exact as far as it goes.
	Whole bool
	Evals int // sizes that were tried
}

// Front explores sizes, the least memory first, up to the first that keep a part of the most
// throughput, 0 for all of it. evals bounds how many are tried, 0 for 10 000, and work what is done for that,
// 0 for [sdf.DefaultWork].
func (x *Exact) Front(ctx context.Context, keep float64, evals int, work int64) (*ExactFront, error) {
	front, err := x.Graph.Front(ctx, sdf.FrontOptions{Keep: keep, Evals: evals, Work: work})
	if err != nil {
		return nil, fmt.Errorf("exploring sizes: %w", err)
	}
	out := &ExactFront{Most: x.rate(front.Most), Whole: front.Exact, Evals: front.Evals}
	for i := range front.Points {
		p := &front.Points[i]
		y := ExactPoint{Sizes: make([]float64, len(x.Channel)), Throughput: x.rate(p.Period),
			Critical: x.words(p.Critical)}
		for c, e := range x.Edge {
			y.Sizes[e] = float64(p.Capacities[c])
			y.Memory += y.Sizes[e] * float64(x.Channels[c].Bytes)
		}
		out.Points = append(out.Points, y)
	}
	return out, nil
}

// above explores sizes from floors, by edge.
func (x *Exact) above(ctx context.Context, floor []Least, o sdf.FrontOptions) (*sdf.Front, error) {
	o.Floor = make([]int64, len(x.Channels))
	for c, e := range x.Edge {
		o.Floor[c] = int64(floor[e].Elements)
	}
	return x.Graph.Front(ctx, o)
}

// words names the actors of a critical cycle, each once, and what it waits for.
func (x *Exact) words(cycle []sdf.Hop) string {
	var parts []string
	seen := make(map[sdf.Hop]bool)
	for _, h := range cycle {
		h = sdf.Hop{Actor: h.Actor, Channel: h.Channel, Full: h.Full}
		if seen[h] {
			continue
		}
		seen[h] = true
		name := x.Actors[h.Actor].Name
		switch {
		case h.Channel < 0:
			parts = append(parts, name+" is busy")
		case h.Full:
			parts = append(parts, fmt.Sprintf("%s waits for space on %s", name, x.Channels[h.Channel].Name))
		default:
			parts = append(parts, fmt.Sprintf("%s waits for elements on %s", name, x.Channels[h.Channel].Name))
		}
	}
	return strings.Join(parts, ", ")
}
