package result

import "math"

// MeasuredBuffers is what the buffers of a run took, in bytes of memory, of which each takes whole pages.
type MeasuredBuffers struct {
	// Sizes says where the sizes are from: "default", "tuned", "raftlib", a file, or the X files.
	Sizes string `json:"sizes"`
	Start Number `json:"start"` // at the start
	Most  Number `json:"most"`  // at any time
	// Touched is what Linux had found memory for by the end.
	Touched Number `json:"touched"`
	// Limit is how much they may take; 0 where none grows.
	Limit Number        `json:"limit,omitempty"`
	Grown []GrownBuffer `json:"grown,omitempty"` // in the order of time
}

// GrownBuffer is a buffer that was enlarged while the run went on.
type GrownBuffer struct {
	Edge string `json:"edge"`
	Time Number `json:"time"` // seconds since the start of the run
	From int    `json:"from"` // elements
	To   int    `json:"to"`
	All  Number `json:"all"` // bytes that all buffers took then
	Why  string `json:"why"`
}

// Last are the elements that the buffers which have grown held at the end, by edge, in the order in which
// they grew first.
func (b *MeasuredBuffers) Last() []GrownBuffer {
	var last []GrownBuffer
	at := make(map[string]int)
	for _, g := range b.Grown {
		i, ok := at[g.Edge]
		if !ok {
			at[g.Edge] = len(last)
			last = append(last, g)
			continue
		}
		first := last[i].From
		last[i] = g
		last[i].From = first
	}
	return last
}

// PathLatency is how old elements were when a sink released them, along one path from a source.
type PathLatency struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Edges []string `json:"edges"`
	// Latency is nil where no marked element came through.
	Latency *Distribution `json:"latency,omitempty"`
	// Quantiles are those of 50, 99 and 99.9 %, where there are samples enough: three above each.
	P50  *Number `json:"p50,omitempty"`
	P99  *Number `json:"p99,omitempty"`
	P999 *Number `json:"p999,omitempty"`
}

// quantileSamples is how many samples must lie above a quantile for it to be told.
const quantileSamples = 3

// TailQuantile is the quantile of a distribution, nil where fewer than three samples lie above it.
func (d *Distribution) TailQuantile(p float64) *Number {
	if d == nil || float64(d.Samples)*(1-p) < quantileSamples {
		return nil
	}
	q := d.Quantile(p)
	if math.IsNaN(q) {
		return nil
	}
	n := Number(q)
	return &n
}
