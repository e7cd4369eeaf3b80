package predict

import (
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// Beside is one quantity, predicted and measured or simulated: a rate in bytes/s, or the part of the time
// that a kernel works.
type Beside struct {
	What      string
	Part      bool // of the time
	Predicted result.Number
	Measured  float64
	Short     bool // the run is too short to tell
	Uneven    bool // that is because it was not steady, though it was long enough
	Simulated bool // in place of measured
}

// Known reports whether the run determines an error.
func (b *Beside) Known() bool { return !b.Short && (b.Measured != 0 || b.Part) }

// Error is (predicted - measured) / measured, or for parts of the time the difference; 0 if not [Beside.Known].
func (b *Beside) Error() float64 {
	switch {
	case !b.Known():
		return 0
	case b.Part:
		return float64(b.Predicted) - b.Measured
	}
	return (float64(b.Predicted) - b.Measured) / b.Measured
}

// ErrorText is the error in words: percent, or points of percent.
func (b *Beside) ErrorText() string {
	switch {
	case !b.Known():
		return "-"
	case b.Part:
		return units.Points(b.Error())
	}
	return units.Error(b.Error())
}

// Off is the error of the first quantity of a run, its throughput, in a sentence.
func (b *Beside) Off() string {
	switch {
	case b.Uneven:
		return "the run is not steady enough to tell the error"
	case b.Short:
		return "the run is too short to tell the error"
	}
	if text := units.Change(b.Error()); !b.Part && b.Measured != 0 && strings.HasSuffix(text, " times") {
		return text + " what was " + b.how()
	}
	text := b.ErrorText()
	if size, below := strings.CutPrefix(text, "-"); below && size != "" {
		return size + " below what was " + b.how()
	} else if size, above := strings.CutPrefix(text, "+"); above {
		return size + " above what was " + b.how()
	}
	return text + " of what was " + b.how()
}

// how is the origin of Measured.
func (b *Beside) how() string {
	if b.Simulated {
		return "simulated"
	}
	return "measured"
}

// BusyOf names what is compared of a kernel.
func BusyOf(kernel string) string { return "busy, " + kernel }

// busy is how busy a kernel is predicted to be with the bytes that it took in a run, at so many seconds for each.
func busy(k *result.MeasuredKernel, took float64) float64 {
	return min(1, k.Utilization*k.ServiceRate*took)
}

// Compare puts a prediction beside a run of the same mapping: the throughput, the rate on
// every edge, and how busy every kernel on a core was, beside how busy what it took in is predicted to keep it: so
// that a kernel stands out that takes another time than predicted, not all where one of them does.
func Compare(c *result.Candidate, m *result.Measured) []Beside {
	list := []Beside{{What: "throughput", Predicted: c.Throughput, Measured: m.Throughput - m.Filling,
		Simulated: m.Simulated != ""}}
	out, _, told := m.Rates()
	switch {
	case !told:
		list[0].What, list[0].Short = "throughput; "+list[0].how()+" over a run that is too short", true
		if list[0].Uneven = m.Uneven(); list[0].Uneven {
			list[0].What = "throughput; " + list[0].how() + " over a run that is not steady"
		}
	case m.Steady != nil:
		list[0].What, list[0].Measured = "throughput, in steady state", out
	case m.Filling > 0:
		list[0].What = "throughput, out of the first buffers"
	}
	if told && m.Slowed > 0 {
		list = append(list, Beside{What: "throughput, of a machine that was " + units.Share(float64(1-m.Slowed)) +
			" % slower than in good time", Predicted: c.Throughput * result.Number(m.Slowed), Measured: out})
	}
	flows := make(map[string]result.Number)
	for i := range c.Queues {
		flows[c.Queues[i].Edge] = c.Queues[i].Flow
	}
	for i := range m.Edges {
		e := &m.Edges[i]
		if f, ok := flows[e.Edge]; ok {
			list = append(list, Beside{What: "rate on " + e.Edge, Predicted: f, Measured: e.Rate, Short: !told,
				Uneven: list[0].Uneven})
		}
	}
	took := workTimes(c)
	for i := range m.Kernels {
		if k := &m.Kernels[i]; took[k.Kernel] > 0 && k.Kernel != m.FaultOf { // its last firing did not finish
			list = append(list, Beside{What: BusyOf(k.Kernel), Part: true, Short: !told, Uneven: list[0].Uneven,
				Predicted: result.Number(busy(k, took[k.Kernel])), Measured: k.Utilization})
		}
	}
	return list
}

// SamePlaces reports whether a prediction is of the mapping that ran.
func SamePlaces(c *result.Candidate, m *result.Measured) bool {
	at := make(map[string]string)
	for _, p := range c.Place {
		at[p.Kernel] = p.Resource
	}
	for _, p := range m.Place {
		if at[p.Kernel] != p.Resource {
			return false
		}
	}
	return len(m.Place) == len(c.Place)
}
