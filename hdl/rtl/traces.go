package rtl

import (
	"fmt"
	"slices"

	"xopt/hdl/faults"
)

// Trace is an xopt_trace in the hardware: a ring of the changes of what a Probe looks at (Koehler 2007, §4.2). It
// records from the first cycle on, so that cycles are those of the run, and has 2^LogDepth + 1 records.
type Trace struct {
	Probe
	LogDepth int
}

// Bits of the cycles from record to record: as many as fill its last word of 32 bits, within these.
const (
	leastTimeBits = 14
	mostTimeBits  = 30
)

// Words is how many words of 32 bits a record has.
func (t *Trace) Words() int { return (2 + leastTimeBits + t.Width + 31) / 32 }

// TimeBits is how many bits the cycles since the record before have.
func (t *Trace) TimeBits() int { return min(32*t.Words()-2-t.Width, mostTimeBits) }

// RecordBits is how many bits a record has: whether some are missing before it, whether the value counts, the cycles
// since the record before, and, in the lowest bits, the value.
func (t *Trace) RecordBits() int { return 2 + t.TimeBits() + t.Width }

// Shown is a signal of a part that is an output of its module, and the net that it goes to.
type Shown struct {
	Path, Net string
	Width     int
	Signed    bool
}

// Show is the net of a signal in the hardware, outside of its part: that of a stream, or of an output that Expose makes
// of the signal. part is the number of the part.
func (x *Part) Show(part int, s *Signal) (string, error) {
	if s.Port != "" {
		return x.portNet(part, s)
	}
	for i := range x.Machines {
		if x.Machines[i].Path == s.Path {
			return fmt.Sprintf("part%d_state%d", part, i), nil
		}
	}
	i := slices.IndexFunc(x.Shown, func(y Shown) bool { return y.Path == s.Path })
	if i < 0 {
		i = len(x.Shown)
		x.Shown = append(x.Shown, Shown{s.Path, fmt.Sprintf("part%d_signal%d", part, i), s.Width, s.Signed})
	}
	return x.Shown[i].Net, nil
}

// portNet is what is connected to a port of a part's module.
func (x *Part) portNet(part int, s *Signal) (string, error) {
	for _, stream := range x.Module.Streams {
		name, at := streamText{Input: stream.Input}.Side()+"_"+stream.Name, net(part, stream)
		switch s.Path {
		case name + "_tdata":
			if s.Signed {
				return "$signed(" + at + "_data)", nil
			}
			return at + "_data", nil
		case name + "_tvalid":
			return at + "_valid", nil
		case name + "_tready":
			return at + "_ready", nil
		}
	}
	switch s.Path {
	case "clk", "rst":
		return s.Path, nil
	case "drain":
		return fmt.Sprintf("drain[%d]", part), nil
	}
	return "", faults.NoNet.Errorf("the hardware has no net of this port, which is not of a stream")
}

// traceText is a Trace in the template of a partition.
type traceText struct {
	Index, High, Width, TimeBits, LogDepth, RecordHigh int
	Value, When, After                                 string
}

// traces puts in the rings.
func (w *partitionWriter) traces() {
	for i := range w.p.Traces {
		t := &w.p.Traces[i]
		w.text.Traces = append(w.text.Traces, traceText{i, t.Width - 1, t.Width, t.TimeBits(), t.LogDepth,
			t.RecordBits() - 1, t.Value, t.When, t.After})
	}
}
