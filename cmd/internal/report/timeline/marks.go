package timeline

import (
	"fmt"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// Tracks of marks.
const (
	framesTrack = iota + 1
	assertionsTrack
	stallsTrack
	logTrack
)

// mark adds an instant event at a time in seconds.
func (f *file) mark(track int, cat, name string, time float64, args map[string]any) {
	f.add(event{Name: name, Cat: cat, Phase: "i", Scope: "t", Time: 1e6 * time, PID: marks, TID: track, Args: args})
}

// marks adds instant events for frames, failed assertions and stalls.
func (f *file) marks(m *result.Measured) {
	f.process(marks, "run", 0)
	for i, name := range []string{"frames", "failed assertions", "stalls", "log"} {
		f.thread(marks, i+1, name, i)
	}
	for i := range m.Frames {
		x := &m.Frames[i]
		f.mark(framesTrack, "frame", fmt.Sprintf("frame %d", x.Frame), x.Start,
			map[string]any{"seconds": float64(x.End - x.Start)})
	}
	for i := range m.Assertions {
		for _, b := range m.Assertions[i].Failures {
			f.mark(assertionsTrack, "assertion", m.Assertions[i].Name+" failed", breachAt(&b),
				map[string]any{"assertion": m.Assertions[i].Text, "observed": b.Text})
		}
	}
	f.stalls(m)
}

// breachAt returns the time of a failed assertion: the time of its value or, if unknown, the end of its frame.
func breachAt(b *result.Breach) float64 {
	for _, o := range b.Observed {
		if o.Time != nil {
			return *o.Time
		}
	}
	return b.End
}

// stalls marks the times at which a queue became full, and the frames in which a writer found no space. It also marks
// the end of a run that did not end by itself.
func (f *file) stalls(m *result.Measured) {
	for i := range m.Edges {
		e := &m.Edges[i]
		full := false
		for _, x := range e.Log {
			was := full
			full = e.Capacity > 0 && x.Value >= float64(e.Capacity-1)
			if full && !was {
				f.mark(stallsTrack, "stall", e.Edge+" is full", x.Time,
					map[string]any{"element": x.Index, "elements in the queue": x.Value})
			}
		}
		for j := range m.Frames {
			if i < len(m.Frames[j].Edges) && m.Frames[j].Edges[i].Backpressure > 0 {
				part := m.Frames[j].Edges[i].Backpressure
				f.mark(stallsTrack, "stall", fmt.Sprintf("the writer of %s waited for space in %s of frame %d", e.Edge,
					units.Percent(part), m.Frames[j].Frame), m.Frames[j].Start, map[string]any{"part": part})
			}
		}
	}
	if m.Partial != "" {
		f.mark(stallsTrack, "stall", "the run ended: "+m.Partial, m.Seconds, nil)
	}
}

// markLogEnd marks the end of a kernel's log if it precedes the end of the run.
func (f *file) markLogEnd(m *result.Measured, firings []event) {
	of := slicesOf(firings)
	last := 0.0
	for i := range m.Kernels {
		k := &m.Kernels[i]
		list := of[k.Kernel]
		if len(list) == 0 || uint64(len(list)) >= k.Firings {
			continue
		}
		final := list[len(list)-1]
		last = max(last, final.to)
		f.add(event{Name: fmt.Sprintf("the log of %s ends", k.Kernel), Cat: "log", Phase: "i", Scope: "t",
			Time: final.to, PID: resources, TID: final.track,
			Args: map[string]any{"logged": len(list), "firings": k.Firings}})
	}
	if last > 0 {
		f.add(event{Name: "the log ends here; the run continued until " + units.Time(m.Seconds), Cat: "log",
			Phase: "i", Scope: "g", Time: last, PID: marks, TID: logTrack})
	}
}
