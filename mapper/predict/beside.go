package predict

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// Comparison is the predicted and the measured (or simulated) value of a quantity of a run. The quantity is a rate in
// bytes/s, or the fraction of the time in which a kernel is busy.
type Comparison struct {
	What      string
	Part      bool // the quantity is a fraction of the time
	Predicted result.Number
	Measured  float64
	Short     bool // the run was too short to measure the quantity
	Uneven    bool // the run was long enough, but not steady, so that the quantity is unknown
	Simulated bool // Measured is from a simulation
	// Slowed is the predicted throughput at the machine's speed in the run, divided by the predicted throughput of an
	// undisturbed machine. It is 0 if the slowdown is below minSlowed or unknown. Error ignores Slowed, because a
	// single run does not support a correction.
	Slowed float64
}

// minSlowed is the minimum relative slowdown of the machine that reports show with the error.
const minSlowed = 0.005

// Corrected returns the comparison with the measured throughput corrected for the machine's slowdown. ok is false if
// [Comparison.HasError] is false or Slowed is 0.
func (b *Comparison) Corrected() (c Comparison, ok bool) {
	if !b.HasError() || b.Slowed == 0 {
		return *b, false
	}
	c = *b
	c.Measured, c.Slowed = b.Measured/b.Slowed, 0
	return c, true
}

// HasError reports whether the run measured the quantity, so that its prediction error is known.
func (b *Comparison) HasError() bool { return !b.Short && (b.Measured != 0 || b.Part) }

// Error returns (predicted - measured) / measured or, for a fraction of the time, predicted - measured. It returns 0 if
// [Comparison.HasError] is false.
func (b *Comparison) Error() float64 {
	switch {
	case !b.HasError():
		return 0
	case b.Part:
		return float64(b.Predicted) - b.Measured
	}
	return (float64(b.Predicted) - b.Measured) / b.Measured
}

// ErrorText formats the error for reports; "-" if [Comparison.HasError] is false.
func (b *Comparison) ErrorText() string {
	switch {
	case !b.HasError():
		return "-"
	case b.Part:
		return units.Points(b.Error())
	}
	return units.Error(b.Error())
}

// Off returns a phrase with the error of the throughput and, if the machine was slow, the error after correction.
func (b *Comparison) Off() string {
	off := b.off()
	if c, ok := b.Corrected(); ok {
		off += fmt.Sprintf(" (%s after correction for a machine that was %s slower than undisturbed)", c.ErrorText(),
			units.Percent(1-b.Slowed))
	}
	return off
}

func (b *Comparison) off() string {
	switch {
	case b.Uneven:
		return "the run is not steady enough to determine the error"
	case b.Short:
		return "the run is too short to determine the error"
	}
	if text := units.Change(b.Error()); !b.Part && b.Measured != 0 && strings.HasSuffix(text, " times") {
		return text + " the " + b.how() + " value"
	}
	text := b.ErrorText()
	if size, below := strings.CutPrefix(text, "-"); below && size != "" {
		return size + " below the " + b.how() + " value"
	} else if size, above := strings.CutPrefix(text, "+"); above {
		return size + " above the " + b.how() + " value"
	}
	return "as " + b.how() + ", error 0 %"
}

// how returns the verb for Comparison.Measured: "measured" or "simulated".
func (b *Comparison) how() string {
	if b.Simulated {
		return "simulated"
	}
	return "measured"
}

// BusyOf returns the value of Comparison.What for a kernel's busy time.
func BusyOf(kernel string) string { return "busy, " + kernel }

// busy returns the predicted utilization of a kernel, given the bytes that it received in a run. elapsed is the
// predicted time per byte in s.
func busy(k *result.MeasuredKernel, elapsed float64) float64 {
	return min(1, k.Utilization*k.ServiceRate*elapsed)
}

// Compare compares a prediction with a run of the same mapping: the throughput, the rate of every edge, and the
// utilization of every kernel on a core. The measured rates of edges include the start of the run, as their labels
// state. All predictions are for the predicted throughput.
func Compare(c *result.Candidate, m *result.Measured) []Comparison {
	list := []Comparison{{What: "throughput", Predicted: c.Throughput, Measured: m.Throughput - m.Filling,
		Simulated: m.Simulated != ""}}
	out, _, reported := m.Rates()
	switch {
	case !reported:
		list[0].What, list[0].Short = "throughput; "+list[0].how()+" over a run that is too short", true
		if list[0].Uneven = m.Uneven(); list[0].Uneven {
			list[0].What = "throughput; " + list[0].how() + " over a run that is not steady"
		}
	case m.Steady != nil:
		list[0].What, list[0].Measured = "throughput, in steady state", out
	case m.Filling > 0:
		list[0].What = "throughput, without the filling of buffers"
	}
	if reported && m.Slowed > 0 && m.Slowed <= 1-minSlowed {
		list[0].Slowed = m.Slowed
	}
	part := ""
	if reported && m.Steady != nil { // unlike the throughput, edges are counted from the start
		part = ", complete run"
	}
	flows := make(map[string]result.Number)
	for i := range c.Queues {
		flows[c.Queues[i].Edge] = c.Queues[i].Flow
	}
	for i := range m.Edges {
		e := &m.Edges[i]
		if f, ok := flows[e.Edge]; ok {
			list = append(list, Comparison{What: "rate on " + e.Edge + part, Predicted: f * c.Kept(), Measured: e.Rate,
				Short: !reported, Uneven: list[0].Uneven})
		}
	}
	elapsed, arrivals := workTimes(c), make(map[string]result.Number)
	for i := range c.Stations {
		if s := &c.Stations[i]; !s.IsLink {
			arrivals[s.Name] = s.ArrivalRate * c.Kept()
		}
	}
	for i := range m.Kernels {
		if k := &m.Kernels[i]; elapsed[k.Kernel] > 0 && k.Kernel != m.FaultOf { // its last firing did not finish
			list = append(list, Comparison{What: BusyOf(k.Kernel), Part: true, Short: !reported, Uneven: list[0].Uneven,
				Predicted: min(1, arrivals[k.Kernel]*result.Number(elapsed[k.Kernel])), Measured: k.Utilization})
		}
	}
	return list
}

// SamePlaces reports whether a prediction and a run place all kernels on the same resources.
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
