package design

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
)

// MachineState is the speed of a machine during a run, measured by a reference load that alternates with the kernels.
type MachineState struct {
	// Slow contains, by resource and probe, the mean logarithm of the probe's time relative to its undisturbed time.
	// Probes are in the order of [goodtime.ProbeNames]. Slow is nil if unknown.
	Slow [][]float64
	// Distance is the mean transfer time of a cache line between cores in s; 0 if unknown.
	Distance float64
	// FarApart reports whether the cores were farther apart than in the undisturbed state.
	FarApart bool
}

// stateFigures contains the dependence of measured figures on the state of the machine.
type stateFigures struct {
	reference *profile.Reference
	distance  *profile.Distance
	// sensitivity contains, for a kernel on a resource, the sensitivity of the logarithm of its time to each probe.
	sensitivity map[pair][]float64
	// far contains, for a kernel on a resource, the additional costs in s/byte of receiving and sending while cores are
	// far apart.
	far map[pair][2]float64
	// links contains, by link, the factor on the time of a transfer while cores are far apart. cost is the additional
	// cost in s/byte of receiving and sending in that state, for kernels that were not measured in that state.
	links map[int]float64
	cost  [2]float64
}

func (m *stateFigures) kernel(k, r int, f *profile.Kernel) {
	if m.far == nil {
		m.far, m.sensitivity = make(map[pair][2]float64), make(map[pair][]float64)
	}
	m.far[pair{k, r}] = [2]float64{farther(f.ReceiveCost, f.ReceiveFar), farther(f.SendCost, f.SendFar)}
	if f.Undisturbed == nil || len(f.Undisturbed.Sensitivity) == 0 {
		return
	}
	by := make([]float64, len(goodtime.ProbeNames()))
	for i, name := range goodtime.ProbeNames() {
		by[i] = f.Undisturbed.Sensitivity[name]
	}
	m.sensitivity[pair{k, r}] = by
}

// ofReader is the reader's fraction of the additional time of a transfer between cores that are far apart; the writer
// has the remaining time. This default applies if no link was measured in that state. The measured value was 0.09.
const ofReader = 0.1

func (m *stateFigures) link(l int, f *LinkFigures) {
	if m.distance == nil || m.distance.FarApart == 0 {
		m.distance = f.Distance
	}
	if m.links == nil {
		m.links = make(map[int]float64)
	}
	far := f.Far
	if far == nil {
		if m.farther(f.Distance) > 1 { // the link's figures already apply to distant cores
			return
		}
		if d := m.coreDistance(); d != nil && d.FarApart > 0 { // approximately proportional to the distance
			m.links[l] = d.FarApart / d.Good
			if more := (m.links[l] - 1) / f.Bandwidth; f.Bandwidth > 0 {
				m.cost = [2]float64{max(m.cost[0], ofReader*more), max(m.cost[1], (1-ofReader)*more)}
			}
		}
		return
	}
	m.links[l] = far.Slowdown
	m.cost = [2]float64{max(m.cost[0], far.Receive), max(m.cost[1], far.Send)}
}

// farther returns the ratio of the cores' distance during the measurement of a link to their distance during the
// measurement of kernels. It returns 1 unless the cores were far apart during the measurement of the link. Only the
// interval of the bandwidth includes this effect, because no measurement shows how much of the additional delay a
// stream of messages hides.
func (m *stateFigures) farther(link *profile.Distance) float64 {
	if m.reference == nil || m.reference.Distance == nil || link == nil || !m.reference.Distance.Far(link.Good) ||
		!(m.reference.Distance.Good > 0) {
		return 1
	}
	return link.Good / m.reference.Distance.Good
}

// Reference returns the speed of the machine while the figures were measured, or nil if unknown.
func (d *Design) Reference() *profile.Reference { return d.state.reference }

// Distance returns the distance of the cores during the measurement of kernels. If the kernels' cores were never far
// apart, it returns the distance during the measurement of links; nil if unknown.
func (d *Design) Distance() *profile.Distance { return d.state.coreDistance() }

func (m *stateFigures) coreDistance() *profile.Distance {
	if r := m.reference; r != nil && r.Distance != nil && (r.Distance.FarApart > 0 || m.distance == nil ||
		m.distance.FarApart == 0) {
		return r.Distance
	}
	return m.distance
}

// In returns the problem with the figures for a state of the machine. Kernels slow down with the probes to which they
// are sensitive. The cost of transfers between cores rises with their distance.
func (d *Design) In(s *MachineState) *flow.Problem {
	p := *d.Problem
	p.Figures = make([][]flow.Figures, len(d.Problem.Figures))
	part := d.Distance().Part(s.Distance)
	cost := d.state.others()
	for k := range p.Figures {
		p.Figures[k] = slices.Clone(d.Problem.Figures[k])
		for r := range p.Figures[k] {
			far, measured := d.state.far[pair{k, r}]
			if !measured {
				continue
			}
			f := &p.Figures[k][r]
			slow := 1.0
			if r < len(s.Slow) {
				slow = slowdown(d.state.sensitivity[pair{k, r}], s.Slow[r])
			}
			if slow != 1 {
				f.ServiceRate /= slow
				f.Factors = append(slices.Clone(f.Factors), flow.Factor{Name: "machine state", Times: 1 / slow})
			}
			f.CoLocationCost *= slow
			f.SwitchCost *= slow
			f.ReceiveCost += part * orElse(far[0], cost[0])
			f.SendCost += part * orElse(far[1], cost[1])
		}
	}
	p.Architecture.Links = slices.Clone(p.Architecture.Links)
	for l, times := range d.state.links {
		x, by := &p.Architecture.Links[l], 1+part*(times-1)
		x.Bandwidth /= by
		x.Sharing.TransferCost *= by
	}
	return &p
}

// others returns the additional cost in s/byte while cores are far apart, for a kernel that was not measured in that
// state. The cost comes from a link, or is the median over the other kernels.
func (m *stateFigures) others() [2]float64 {
	if m.cost != ([2]float64{}) {
		return m.cost
	}
	var out [2]float64
	for bound := range out {
		var existing []float64
		for _, far := range m.far {
			if far[bound] >= 0 {
				existing = append(existing, far[bound])
			}
		}
		if len(existing) > 0 {
			out[bound] = profile.MedianOf(existing).Value
		}
	}
	return out
}

// orElse returns cost, or other if cost is unknown (negative).
func orElse(cost, other float64) float64 {
	if cost < 0 {
		return other
	}
	return cost
}

// slowdown returns the factor on the execution time of a kernel for the given slowdowns of the probes.
func slowdown(sensitivity, slow []float64) float64 {
	sum := 0.0
	for i, b := range sensitivity {
		if i < len(slow) {
			sum += b * slow[i]
		}
	}
	return math.Exp(sum)
}
