package validate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// use is the time of one user of a limit (a kernel, or an edge on a link) in s per byte of the sources.
type use struct {
	kind, of, text      string
	predicted, measured float64
}

// limited is a limit of the throughput, with all of its users.
type limited struct {
	name string
	uses []use
}

func (l *limited) total() (predicted, measured float64) {
	for _, u := range l.uses {
		predicted, measured = predicted+u.predicted, measured+u.measured
	}
	return predicted, measured
}

// attribute divides the change of the largest limit total among the uses. All uses change linearly along a path from
// their predicted values to their measured values. A use counts where the total of its limit is the largest. These are
// the shares of Aumann and Shapley ("Values of Non-Atomic Games", 1974), which are additive and independent of order.
func attribute(limits []limited) []result.ErrorPart {
	from, to := make([]float64, len(limits)), make([]float64, len(limits))
	for i := range limits {
		from[i], to[i] = limits[i].total()
	}
	var parts []result.ErrorPart
	for i, w := range envelope(from, to) {
		for _, u := range limits[i].uses {
			if p := w * (u.measured - u.predicted); p != 0 {
				parts = append(parts, result.ErrorPart{Kind: u.kind, Of: u.of, Part: p, Text: u.text})
			}
		}
	}
	return parts
}

// envelope returns, for each limit, the fraction of the straight path from x to y on which this limit is the largest.
func envelope(x, y []float64) []float64 {
	w := make([]float64, len(x))
	if len(x) == 0 {
		return w
	}
	slope := func(i int) float64 { return y[i] - x[i] }
	top := 0
	for i := range x {
		if x[i] > x[top] || x[i] == x[top] && slope(i) > slope(top) {
			top = i
		}
	}
	for at := 0.0; ; {
		next, until := -1, 1.0
		for i := range x {
			if steeper := slope(i) - slope(top); steeper > 0 {
				meet := max((x[top]-x[i])/steeper, at)
				if meet < until || next >= 0 && meet == until && slope(i) > slope(next) {
					next, until = i, meet
				}
			}
		}
		w[top] += until - at
		if next < 0 {
			return w
		}
		top, at = next, until
	}
}

// partsOf splits the error of a case into parts, as fractions of the predicted time per source byte. The part of a
// kernel, link or core is its measured minus its predicted time per source byte. Another part is the time in which no
// limit was busy.
func (c *Case) partsOf(ctx context.Context, d *design.Design) ([]result.ErrorPart, error) {
	n, s := c.asItWas()
	predicted, measured := 1/s.Throughput, 1/c.Measured
	var parts []result.ErrorPart
	if p := conserving(n.Problem); p != nil {
		var err error
		if n, s, err = p.Solve(ctx, c.Mapping); err != nil {
			return nil, fmt.Errorf("predicting with conserving sharing on cores: %w", err)
		}
		if change := 1/s.Throughput - predicted; change != 0 {
			parts = append(parts, result.ErrorPart{Kind: "rule", Part: change, Text: "the sharing rule: cores use " +
				"conserving sharing, not equal sharing"})
		}
	}
	limits := c.limits(d, n, s, measured)
	parts = append(parts, attribute(limits)...)
	busiest, maximum := -1, 0.0
	for i := range limits {
		if _, m := limits[i].total(); m > maximum {
			busiest, maximum = i, m
		}
	}
	if busiest >= 0 && maximum < measured {
		parts = append(parts, c.waits(d, n, busiest, measured-maximum, measured)...)
	}
	left := measured - predicted
	for i := range parts {
		left -= parts[i].Part
		parts[i].Part /= predicted
	}
	parts = append(parts, result.ErrorPart{Kind: "rest", Part: left / predicted, Text: "not explained"})
	slices.SortStableFunc(parts, func(a, b result.ErrorPart) int {
		return cmp.Compare(math.Abs(b.Part), math.Abs(a.Part))
	})
	return parts, nil
}

// conserving returns a copy of p with work-conserving cores; nil if no core of p has equal sharing.
func conserving(p *flow.Problem) *flow.Problem {
	q := *p
	q.Architecture.Resources = slices.Clone(p.Architecture.Resources)
	changed := false
	for i := range q.Architecture.Resources {
		if s := &q.Architecture.Resources[i].Sharing; s.Rule == flow.Equal {
			s.Rule, changed = flow.Conserving, true
		}
	}
	if !changed {
		return nil
	}
	return &q
}

// limits returns the resources and links of a case with their users.
func (c *Case) limits(d *design.Design, n *flow.Network, s *flow.Solution, measured float64) []limited {
	list := make([]limited, len(n.Limits))
	for i := range n.Limits {
		l := &n.Limits[i]
		x := &list[i]
		x.name = l.Name
		if l.Cycle != nil { // runs measured no part of a cycle
			continue
		}
		switching, worked := 0.0, 0.0
		for _, m := range l.Members {
			u, beside := c.useOf(d, n, s, m)
			x.uses = append(x.uses, u)
			switching += beside
			worked += u.measured
		}
		if worked > measured { // a process on a shared core also counts the time of other processes
			for j := range x.uses {
				x.uses[j].measured *= measured / worked
			}
			worked = measured
		}
		if u, ok := c.carried(s, l); ok {
			x.uses = append(x.uses, u)
			worked += u.measured
		}
		if switching > 0 {
			elapsed := min(switching, measured-worked)
			x.uses = append(x.uses, use{"sharing", l.Name,
				fmt.Sprintf("sharing of %s: switching between kernels took at most %s, predicted %s",
					l.Name, perByte(elapsed), perByte(switching)),
				switching,
				elapsed})
		}
	}
	return list
}

func perByte(v float64) string { return fmt.Sprintf("%.3g ns/B", v*1e9) }

// carried returns the use of a core for carrying data between hosts. ok is false if it carries none. Runs measure the
// bytes, not their cost.
func (c *Case) carried(s *flow.Solution, l *flow.Limit) (u use, ok bool) {
	u = use{kind: "carrying", of: l.Name}
	for _, cost := range l.Costs {
		if cost.Part == flow.Carrying {
			ok = true
			u.predicted += cost.Weight * s.EdgeFlow[cost.Edge] / s.Throughput
			u.measured += cost.Weight * c.Edges[cost.Edge].Measured / c.Measured
		}
	}
	u.text = fmt.Sprintf("%s carried data between hosts at %s, predicted %s", l.Name,
		perByte(u.measured), perByte(u.predicted))
	return u, ok
}

// useOf returns the use of a station and, separately, its predicted switching time.
func (c *Case) useOf(d *design.Design, n *flow.Network, s *flow.Solution, station int) (u use, switching float64) {
	st, state := &n.Stations[station], &s.Stations[station]
	for part, v := range state.Parts {
		switch p := flow.Part(part); p {
		case flow.Switching:
			switching = v / s.Throughput
		case flow.Unused, flow.Carrying: // additional work of the core (carried)
		default:
			u.predicted += v / s.Throughput
		}
	}
	if st.Kind != flow.KernelStation { // runs measure the bytes on a link, not their time
		u.kind, u.of = "link", st.Name
		u.measured = u.predicted
		if e := st.Edge; e >= 0 && c.Edges[e].Predicted > 0 && c.Edges[e].Measured > 0 {
			u.measured *= c.Edges[e].Measured / c.Measured / (c.Edges[e].Predicted / c.Predicted)
		}
		u.text = fmt.Sprintf("%s: measured %s, predicted %s", st.Name, perByte(u.measured),
			perByte(u.predicted))
		return u, switching
	}
	k := st.Kernel
	u.kind, u.of, u.measured = "kernel", d.Program.Kernels[k].Name, median(c.Work[k])
	if math.IsNaN(u.measured) {
		u.measured = u.predicted
	}
	u.text = c.kernelText(d, k, state, u.predicted, u.measured)
	return u, switching
}

// kernelText describes the measured and predicted time of a kernel in the mapping, by parts.
func (c *Case) kernelText(d *design.Design, k int, state *flow.StationState, predicted, measured float64) string {
	name, where := d.Program.Kernels[k].Name, d.Program.Resources[c.Mapping.Place[k]].Name
	if !(predicted > 0) || !(measured > 0) || !(state.ArrivalRate > 0) {
		return fmt.Sprintf("%s on %s took %s, predicted %s", name, where, perByte(measured), perByte(predicted))
	}
	bytes := state.ArrivalRate * predicted / busyOf(state) // bytes of the kernel per byte of the sources
	x := c.timesOf(k, state)
	elapsed, flowed := x.measured, ""
	if !(elapsed > 0) {
		elapsed = measured / bytes
	}
	if f := median(c.Flow[k]); f > 0 {
		if ratio := f / bytes; math.Abs(ratio-1) > greatGain {
			flowed = fmt.Sprintf(", for %.3f times the predicted bytes", ratio)
		}
	}
	var of []string
	for part, v := range state.Parts {
		if p := flow.Part(part); ofKernel(p) && v > 0 {
			word := p.String()
			if p == flow.Compute {
				word = "alone"
			}
			of = append(of, fmt.Sprintf("%s %s", word, perByte(v/state.ArrivalRate)))
		}
	}
	return fmt.Sprintf("%s on %s took %.2f times its predicted time per byte: %s, predicted %s (%s)%s", name,
		where, elapsed/x.predicted, perByte(elapsed), perByte(x.predicted), strings.Join(of, ", "), flowed)
}

// ofKernel reports whether a part of a kernel's core time is work of the kernel itself, as runs measure it.
func ofKernel(p flow.Part) bool { return p != flow.Switching && p != flow.Unused && p != flow.Carrying }

// busyOf returns the fraction of time in which a kernel itself works.
func busyOf(state *flow.StationState) float64 {
	sum := 0.0
	for part, v := range state.Parts {
		if ofKernel(flow.Part(part)) {
			sum += v
		}
	}
	return sum
}

// waits splits the time in which the busiest limit was idle, by cause. Its kernels waited for space or for data, or the
// core switched between kernels.
func (c *Case) waits(d *design.Design, n *flow.Network, busiest int, idle, measured float64) []result.ErrorPart {
	l := &n.Limits[busiest]
	if l.Resource < 0 {
		return []result.ErrorPart{{Kind: "waits", Of: l.Name, Part: idle,
			Text: fmt.Sprintf("no resource or link was busy all the time: %s was idle for %.1f %% of the time", l.Name,
				100*idle/measured)}}
	}
	kernels, room, edge, longest := 0, 0.0, "", 0.0
	for e := range d.Program.Edges {
		x := &d.Program.Edges[e]
		if c.Mapping.Place[x.From] != l.Resource || e >= len(c.Waited) {
			continue
		}
		if w := median(c.Waited[e]); w > 0 {
			room += w
			if w > longest {
				edge, longest = x.Name, w
			}
		}
	}
	for _, m := range l.Members {
		if n.Stations[m].Kernel >= 0 {
			kernels++
		}
	}
	var parts []result.ErrorPart
	if room = min(room, idle); room > 0 {
		parts = append(parts, result.ErrorPart{Kind: "waits", Of: l.Name, Part: room,
			Text: fmt.Sprintf("no resource was busy all the time: writers on %s waited for space for %.1f %% of the "+
				"time, mainly before %s", l.Name, 100*room/measured, edge)})
	}
	rest := idle - room
	switch {
	case rest <= 0:
	case kernels > 1:
		parts = append(parts, result.ErrorPart{Kind: "sharing", Of: l.Name, Part: rest,
			Text: fmt.Sprintf("sharing of %s: %.1f %% of the time was neither work nor predicted switches (the "+
				"switches cost more than predicted, or kernels waited for data)", l.Name, 100*rest/measured)})
	default:
		parts = append(parts, result.ErrorPart{Kind: "waits", Of: l.Name, Part: rest,
			Text: fmt.Sprintf("%s waited for data for %.1f %% of the time: no resource was busy all the time", l.Name,
				100*rest/measured)})
	}
	return parts
}

// Minimum sizes of the reported parts of an error.
const (
	minErrorPart = 0.05  // minimum fraction of the error
	partSeen     = 0.001 // minimum fraction of the throughput
)

// reasonOf describes the parts of an error in order of size. It summarizes small parts.
func (c *Case) reasonOf(parts []result.ErrorPart) string {
	var texts []string
	small, smalls, rest := 0.0, 0, 0.0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Kind == "rest":
			rest = p.Part
		case math.Abs(p.Part) < max(minErrorPart*math.Abs(c.Error()), partSeen):
			small += p.Part
			smalls++
		default:
			texts = append(texts, fmt.Sprintf("%s: %s", p.Text, units.Points(p.Part)))
		}
	}
	if math.Abs(small) >= partSeen {
		texts = append(texts, fmt.Sprintf("%s: %s", units.Counted(smalls, "smaller part", "smaller parts"),
			units.Points(small)))
	}
	if math.Abs(rest) >= partSeen {
		texts = append(texts, fmt.Sprintf("not explained: %s", units.Points(rest)))
	}
	return strings.Join(texts, "; ")
}
