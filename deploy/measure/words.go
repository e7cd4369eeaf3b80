package measure

import (
	"fmt"
	"math"
	"strings"

	"xopt/deploy/timetrial"
	"xopt/internal/units"
)

// Quantity formats a value of a measure type with its unit.
func Quantity(t timetrial.Type, v float64) string {
	switch {
	case math.IsNaN(v):
		return "no value"
	case t == timetrial.Rate:
		return units.Count(v) + " elements/s"
	case t == timetrial.Util || t == timetrial.Backpressure:
		return units.Percent(v)
	case t == timetrial.Latency:
		return units.Time(v)
	case t == timetrial.Size:
		return units.Size(v)
	case t == timetrial.Occupancy:
		if n := units.Count(v); n != "1" {
			return n + " elements"
		}
		return "1 element"
	}
	return fmt.Sprintf("%.6g", v)
}

// quantity formats a measured value with its unit.
func quantity(m *timetrial.Measurement, v float64) string {
	if unit := m.Unit(); unit != m.Type.Unit() && !math.IsNaN(v) {
		return units.Count(v) + " " + unit
	}
	return Quantity(m.Type, v)
}

// String describes a failure on one line.
func (f *Failure) String() string {
	var seen []string
	for _, o := range f.Observed {
		if o.Measurement == nil {
			continue
		}
		s := o.Measurement.Name()
		if o.Measurement.Label == "" || s == "" {
			s = o.Measurement.Text
		}
		s += " is " + quantity(o.Measurement, o.Number)
		if o.Estimated {
			s += " (an estimate: a call began or ended in another frame)"
		}
		if !math.IsNaN(o.Time) {
			s += fmt.Sprintf(" (element %d, at %s)", o.Index, units.Time(o.Time))
		}
		seen = append(seen, s)
	}
	text := fmt.Sprintf("frame %d (%s to %s)", f.Frame, units.Time(f.Start), units.Time(f.End))
	if f.Tested > 0 {
		text += fmt.Sprintf(", %s of %s tests", units.Percent(f.Failed/f.Tested), units.Count(f.Tested))
	}
	if len(seen) > 0 {
		text += ": " + strings.Join(seen, ", ")
	}
	return text
}

// AssertionName returns the label of an assertion, or its text on one line.
func AssertionName(a *timetrial.Assertion) string {
	if a.Label != "" {
		return a.Label
	}
	return strings.Join(strings.Fields(a.Text), " ")
}
