package rtl

import (
	"fmt"
	"slices"

	"xopt/hdl/faults"
)

// Trace is an xopt_trace module in the hardware: a ring buffer of changes of a Probe's value (Koehler 2007, §4.2). It
// records from the first cycle on, so that its cycle numbers are the cycle numbers of the run. It has 2^LogDepth + 1
// records.
type Trace struct {
	Probe
	LogDepth int
}

// Limits, in bits, of the cycle count between records. Within these limits, the count fills the last 32-bit word of a
// record.
const (
	minTimeBits = 14
	maxTimeBits = 30
)

// Words returns the number of 32-bit words of a record.
func (t *Trace) Words() int { return (2 + minTimeBits + t.Width + 31) / 32 }

// TimeBits returns the number of bits of the cycle count since the previous record.
func (t *Trace) TimeBits() int { return min(32*t.Words()-2-t.Width, maxTimeBits) }

// RecordBits returns the number of bits of a record. From the highest bit on, a record contains two flags, the number
// of cycles since the previous record, and the value. The flags mean that records before this record are missing, and
// that the value counts.
func (t *Trace) RecordBits() int { return 2 + t.TimeBits() + t.Width }

// Shown is a signal that a part's module exposes as an output, and the net that connects to it.
type Shown struct {
	Path, Net string
	Width     int
	Signed    bool
}

// Show returns the net of a part's signal in the partition: a stream, or an output that Expose adds for the signal.
// part is the index of the part.
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

// portNet returns the net connected to a port of a part's module.
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
	return "", faults.NoNet.Errorf("this port is not part of a stream, so it has no net in the hardware")
}

// traceText is a Trace in the template of a partition.
type traceText struct {
	Index, High, Width, TimeBits, LogDepth, RecordHigh int
	Value, When, After                                 string
}

// traces adds the ring buffers.
func (w *partitionWriter) traces() {
	for i := range w.p.Traces {
		t := &w.p.Traces[i]
		w.text.Traces = append(w.text.Traces, traceText{i, t.Width - 1, t.Width, t.TimeBits(), t.LogDepth,
			t.RecordBits() - 1, t.Value, t.When, t.After})
	}
}
