package design

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/profile"
)

// Measured provides the figures of a profile file. The command line and the X files override these figures. An entry
// for an instance or a resource overrides an entry for a block or a platform. An entry for a nearer ancestor platform
// overrides an entry for a more distant platform.
type Measured struct {
	name    string
	profile *profile.Profile
	checker Checker          // nil to use every figure without a check
	byName  map[string][]int // entries of one instance
	byBlock map[string][]int // entries for all instances of a block
}

// FromProfile returns the figures of a profile that was read from the file name. checker finds stale figures; it may be
// nil.
func FromProfile(name string, p *profile.Profile, checker Checker) *Measured {
	m := &Measured{name: name, profile: p, checker: checker, byName: make(map[string][]int),
		byBlock: make(map[string][]int)}
	for i := range p.Kernels {
		if k := &p.Kernels[i]; k.Instance != "" {
			m.byName[k.Instance] = append(m.byName[k.Instance], i)
		} else {
			m.byBlock[k.Block] = append(m.byBlock[k.Block], i)
		}
	}
	return m
}

// Disturbed returns [profile.Profile.Disturbance].
func (m *Measured) Disturbed() string { return m.profile.Disturbance() }

// DataSet returns the input file of the profile's sources; "" for the input file in the X files.
func (m *Measured) DataSet() string {
	if c := m.profile.Conditions; c != nil {
		return c.DataSet
	}
	return ""
}

// Elements returns the value of --elements for the profile's sources; 0 if it was not set.
func (m *Measured) Elements() uint64 {
	if c := m.profile.Conditions; c != nil {
		return c.Elements
	}
	return 0
}

// Path returns the path of the profile file.
func (m *Measured) Path() string { return m.name }

// Describe returns the origin of the figures for notes: the file, the processor and the conditions of the measurement.
func (m *Measured) Describe() string {
	text := filepath.Base(m.name)
	if m.profile.Machine.CPU != "" {
		text += ", " + m.profile.Machine.CPU
	}
	if n := m.Elements(); n > 0 {
		text += fmt.Sprintf(", --elements %d", n)
	}
	if c := m.profile.Conditions; m.Disturbed() != "" {
		text += ", disturbed while it was measured"
	} else if c != nil && c.Incomplete != "" {
		text += ", incomplete"
	}
	return text
}

// Kernel returns the figures of a kernel on a resource; nil if the profile has none. platforms is the resource's
// platform and its ancestors, nearest first.
func (m *Measured) Kernel(kernel, block, resource string, platforms []string) *profile.Kernel {
	best, rank := -1, 0
	for _, i := range m.entries(kernel, block) {
		k := &m.profile.Kernels[i]
		r := 0
		if k.Instance != "" {
			r += 2 * (len(platforms) + 2)
		}
		switch at := slices.Index(platforms, k.Platform); {
		case k.Resource != "" && k.Resource != resource, k.Resource == "" && at < 0:
			continue
		case k.Resource != "":
			r += len(platforms) + 1
		default:
			r += len(platforms) - at
		}
		if best < 0 || r > rank {
			best, rank = i, r
		}
	}
	if best < 0 {
		return nil
	}
	return &m.profile.Kernels[best]
}

func areaOf(a *profile.Area) flow.Area {
	return flow.Area{flow.LUT: a.LUT, flow.FF: a.FF, flow.BRAM: a.BRAM, flow.DSP: a.DSP}
}

// check returns the difference between the current and the measured sources of an entry, or the reason why this
// difference is unknown. Both are "" if the entry is up to date.
func (m *Measured) check(k *profile.Kernel, kernel, resource string) (stale, unknown string) {
	if m.checker == nil || k.Elsewhere != "" {
		return "", ""
	}
	return m.checker.Check(k, kernel, resource)
}

// way names the simulator or the other machine that measured a figure of a profile. Both names are "" for figures
// measured on this machine.
type way struct{ simulated, elsewhere string }

// entries returns the entries of a kernel's instance, followed by the entries of its block.
func (m *Measured) entries(kernel, block string) []int {
	return slices.Concat(m.byName[kernel], m.byBlock[block])
}

// Routing returns the fraction of a kernel's output that leaves through a port, and the way in which it was measured.
// An entry for the instance overrides an entry for the block.
func (m *Measured) Routing(kernel, block, port string) (fraction float64, how way, found bool) {
	for _, i := range m.entries(kernel, block) {
		k := &m.profile.Kernels[i]
		f, ok := k.Routing[port]
		switch {
		case !ok:
		case k.Instance == kernel:
			return f.Value, way{k.How, k.Elsewhere}, true
		case k.Instance == "" && k.Block == block && !found:
			fraction, how, found = f.Value, way{k.How, k.Elsewhere}, true
		}
	}
	return fraction, how, found
}

// Link returns the figures of a link, or false if the profile has none. linktypes contains the linktype of the link and
// its ancestors, nearest first.
func (m *Measured) Link(link string, linktypes []string) (LinkFigures, bool) {
	best, rank := -1, 0
	for i := range m.profile.Links {
		l := &m.profile.Links[i]
		if l.Where == "between processes on one core" { // no edge crosses such a link
			continue
		}
		r := 0
		switch at := slices.Index(linktypes, l.Linktype); {
		case l.Link == link:
			r = len(linktypes) + 1
		case l.Link != "" || at < 0:
			continue
		default:
			r = len(linktypes) - at
		}
		if best < 0 || r > rank {
			best, rank = i, r
		}
	}
	if best < 0 {
		return LinkFigures{}, false
	}
	l := &m.profile.Links[best]
	f := LinkFigures{Bandwidth: valueOr(l.Bandwidth, 0), TransferCost: valueOr(l.TransferCost, 0),
		TransferBytes: valueOr(l.TransferBytes, 0), Latency: valueOr(l.Latency, 0), Distance: l.Distance, Far: l.Far,
		TransferInterval: intervalOf(l.TransferCost), Sends: workOf(l.Send, l.SendElement),
		Receives: workOf(l.Receive, l.ReceiveElement)}
	f.Low, f.High, f.Unusable = l.Bandwidth.PositiveInterval()
	return f, true
}

// Sharing returns the measured sharing rule of cores for one type of deployment, or false if the profile has none.
// platforms contains the platform and its ancestors, nearest first. The other arguments are the platform's configs with
// the same names.
func (m *Measured) Sharing(platforms []string, processes, wait, scheduler string) (SharingFigures, bool) {
	for _, platform := range platforms { // the nearest first
		for i := range m.profile.Sharing {
			s := &m.profile.Sharing[i]
			if s.Platform != platform || s.Processes != processes || s.Wait != wait || s.Scheduler != scheduler {
				continue
			}
			rule, err := s.Rule()
			if err != nil { // reading the profile has rejected unknown rules
				rule = flow.Conserving
			}
			out := SharingFigures{Rule: rule, SwitchCost: valueOr(s.SwitchCost, 0),
				SwitchKnown: s.SwitchCost.State() != profile.Absent, Interval: intervalOf(s.SwitchCost),
				TestError: s.Error}
			if f := s.SwitchCost; f != nil && len(f.Refined) > 0 {
				out.Refined = fmt.Sprintf("refined from %s, with a switch cost of %.3g ns for each firing",
					strings.Join(f.Refined, ", "), f.Value*1e9)
			}
			return out, true
		}
	}
	return SharingFigures{}, false
}

// CopiesCost returns the costs in s per batch of dividing a stream among copies on cores, and of collecting their
// output. It returns false if these costs were not measured.
func (m *Measured) CopiesCost() (divide, collect float64, found bool) {
	x := m.profile.Copies
	if x == nil {
		return 0, 0, false
	}
	return x.Divide.Value, x.Collect.Value, true
}

// farther returns the additional cost of a transfer while the cores are far apart; negative if unknown or not
// significant.
func farther(near, far *profile.Figure) float64 {
	if s := far.State(); s == profile.Absent || s == profile.NotSignificant {
		return -1
	}
	return max(0, far.Value-valueOr(near, 0))
}

// Reference returns the speed of the machine during the measurement, or nil if unknown.
func (m *Measured) Reference() *profile.Reference { return m.profile.Reference }

func valueOr(f *profile.Figure, none float64) float64 {
	if f == nil {
		return none
	}
	return f.Value
}

// workOf returns the work of a core at one end of a link from the measured costs per byte and per element.
func workOf(perByte, perElement *profile.Figure) flow.Work {
	return flow.Work{PerByte: valueOr(perByte, 0), PerElement: valueOr(perElement, 0),
		ByteInterval: intervalOf(perByte), ElementInterval: intervalOf(perElement)}
}

// intervalOf returns the 95 % confidence interval of a cost, with a lower end of at least 0. If the profile has no
// interval, it returns the zero value.
func intervalOf(f *profile.Figure) flow.Interval {
	low, high, ok := f.Interval()
	if !ok {
		return flow.Interval{}
	}
	return flow.Interval{Low: max(0, low), High: high}
}

// costs sets the additional costs per byte of a kernel, with their intervals. An interval is too wide if the total time
// of a byte at its upper end exceeds [profile.WidestFactor] times the service time. This limit then replaces the upper
// end.
func costs(fig *flow.Figures, k *profile.Kernel, switches bool) {
	own := 1 / k.ServiceRate.Value
	costOf := func(f *profile.Figure, part flow.Part) (cost float64, to flow.Interval) {
		if f == nil {
			return 0, to
		}
		to = intervalOf(f)
		if maximum := profile.WidestFactor*(own+f.Value) - own; to.High > maximum {
			to.High = maximum
			fig.CostsAssumed = append(fig.CostsAssumed, part)
		}
		return f.Value, to
	}
	fig.CoLocationCost, fig.CoLocationInterval = costOf(k.CoLocationCost, flow.CoLocation)
	fig.ReceiveCost, fig.ReceiveInterval = costOf(k.ReceiveCost, flow.Receiving)
	fig.SendCost, fig.SendInterval = costOf(k.SendCost, flow.Sending)
	if switches {
		cost, interval := costOf(k.SwitchCost, flow.Switching)
		fig.SwitchCost, fig.SwitchInterval, fig.SwitchKnown = cost, interval, k.SwitchCost.State() != profile.Absent
	}
}

// SharingFigures contains the measured rule and costs of sharing a core.
type SharingFigures struct {
	Rule       flow.SharingRule
	SwitchCost float64 // seconds per firing
	// SwitchKnown reports whether SwitchCost was measured. A measured cost may be 0.
	SwitchKnown bool
	Interval    flow.Interval // 95 % confidence interval of SwitchCost
	Refined     string        // runs that refined SwitchCost; "" for none
	TestError   float64       // maximum relative error of Rule in the test of the profile
}

// MeasuredJoinTolerance is the maximum relative imbalance of a join's inputs for measured gains and routing.
const MeasuredJoinTolerance = 0.02

// LinkFigures are the measured figures of a link.
type LinkFigures struct {
	Bandwidth        float64 // bytes/s; 0 if not measured
	Low, High        float64 // 95 % confidence interval of Bandwidth
	Unusable         bool    // Low and High are assumed, because the measured interval is unusable
	TransferCost     float64 // seconds per transfer; 0 if none was found
	TransferInterval flow.Interval
	TransferBytes    float64           // size of one transfer; 0 for one element
	Latency          float64           // delay of an element in seconds during which no core works; 0 if not measured
	Sends, Receives  flow.Work         // work of the cores at the ends of the link; zero if not measured
	Distance         *profile.Distance // the distance of the cores; nil if unknown
	Far              *profile.LinkFar  // nil if the cores were never far apart
}
