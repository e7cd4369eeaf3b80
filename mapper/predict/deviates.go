package predict

import (
	"fmt"
	"math"

	"xopt/flow"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Deviation is a kernel whose time per byte in a run differs from the prediction.
type Deviation struct {
	Kernel string
	Times  float64 // ratio of the measured to the predicted time per byte
	// Measured and Predicted are utilizations of the kernel in the run. Predicted is for the bytes that the kernel
	// received, not for the predicted throughput.
	Measured, Predicted float64
}

// minDeviation is the smallest reported deviation, as a fraction of the run's duration. Repeated runs differ by up to
// this fraction.
const minDeviation = 0.01

// Deviates returns the kernel whose deviation from the predicted time per byte costs the largest fraction of the run.
// It returns nil if no deviation reaches minDeviation.
func Deviates(c *result.Candidate, m *result.Measured) *Deviation {
	elapsed := workTimes(c)
	var worst *Deviation
	for i := range m.Kernels {
		k := &m.Kernels[i]
		want, ok := elapsed[k.Kernel]
		if !ok || !(k.ServiceRate > 0) || !(k.Utilization > 0) {
			continue
		}
		times := 1 / k.ServiceRate / want
		d := Deviation{Kernel: k.Kernel, Times: times, Measured: k.Utilization, Predicted: busy(k, want)}
		if math.Abs(d.part()) >= minDeviation && (worst == nil || math.Abs(d.part()) > math.Abs(worst.part())) {
			worst = &d
		}
	}
	return worst
}

// part returns the difference between the measured and the predicted utilization.
func (d *Deviation) part() float64 { return d.Measured - d.Predicted }

// String formats the deviation as a sentence for reports.
func (d *Deviation) String() string {
	return fmt.Sprintf("%s needed %.3g times its predicted time per byte: it was busy for %s of the run, "+
		"instead of the %s predicted for the bytes that it received", d.Kernel, d.Times, units.Percent(d.Measured),
		units.Percent(d.Predicted))
}

// workTimes returns the predicted time per byte of each kernel in s. This time includes the costs of sharing the core
// with other kernels, and of transfers from and to other resources.
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
				if s.ArrivalRate > 0 && !equal[s.On] { // with equal sharing, parts refer to the kernel's own time
					t += float64(p.Value / s.ArrivalRate)
				}
			}
		}
		list[s.Name] = t
	}
	return list
}
