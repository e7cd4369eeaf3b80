package predict

import (
	"fmt"
	"math"

	"xopt/flow"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Deviation is a kernel that took another time for each byte in a run than was predicted.
type Deviation struct {
	Kernel string
	Times  float64 // as long as predicted
	Part   float64 // of the run that this adds to its work
}

// leastDeviation is from what part of the run on a deviation is told: less is as much as runs differ by.
const leastDeviation = 0.01

// Deviates finds the kernel whose time for its bytes differs most from the predicted, by the part of the run that
// this makes; nil where none is known to differ.
func Deviates(c *result.Candidate, m *result.Measured) *Deviation {
	took := workTimes(c)
	var worst *Deviation
	for i := range m.Kernels {
		k := &m.Kernels[i]
		want, ok := took[k.Kernel]
		if !ok || !(k.ServiceRate > 0) || !(k.Utilization > 0) {
			continue
		}
		times := 1 / k.ServiceRate / want
		d := Deviation{Kernel: k.Kernel, Times: times, Part: k.Utilization - busy(k, want)}
		if math.Abs(d.Part) >= leastDeviation && (worst == nil || math.Abs(d.Part) > math.Abs(worst.Part)) {
			worst = &d
		}
	}
	return worst
}

// String tells it in a sentence.
func (d *Deviation) String() string {
	points, than := units.Points(math.Abs(d.Part))[1:], "more"
	if d.Part < 0 {
		than = "less"
	}
	return fmt.Sprintf("%s needed %.3g times its predicted time per byte, %s %s of its core than predicted", d.Kernel,
		d.Times, points, than)
}

// workTimes are the seconds that kernels are predicted to work for each byte: alone, and what other kernels of the
// core, and the bytes that come from and go to other resources, add to that.
func workTimes(c *result.Candidate) map[string]float64 {
	equal := make(map[string]bool)
	for i := range c.Resources {
		equal[c.Resources[i].Name] = c.Resources[i].Sharing == flow.Equal.String()
	}
	list := make(map[string]float64)
	for i := range c.Stations {
		s := &c.Stations[i]
		if s.IsLink || !(s.ServiceRate > 0) || math.IsInf(float64(s.ServiceRate), 1) {
			continue
		}
		t := 1 / float64(s.ServiceRate)
		for _, p := range s.Parts {
			switch p.Part {
			case flow.CoLocation.String(), flow.Receiving.String(), flow.Sending.String(), flow.Contended.String():
				if s.ArrivalRate > 0 && !equal[s.On] { // whose parts are of what it may use
					t += float64(p.Value / s.ArrivalRate)
				}
			}
		}
		list[s.Name] = t
	}
	return list
}
