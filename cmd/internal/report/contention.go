package report

import (
	"cmp"
	"fmt"
	"slices"

	"xopt/cmd/faults"
	"xopt/flow"
	"xopt/flow/profile"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// contentionTable shows the slowdown of kernels by the memory accesses of kernels on other cores; nil without
// measurements.
func contentionTable(p *profile.Profile) *Table {
	var levels []float64
	for i := range p.Kernels {
		if c := p.Kernels[i].Contention; c != nil {
			for _, s := range c.Slowdown {
				levels = append(levels, s.Level)
			}
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	shared := "memory"
	if p.Memory != nil {
		shared = p.Memory.Shared
		if p.Memory.Assumed {
			shared += ", assumed"
		}
	}
	t := &Table{ID: "contention", Title: "Memory contention: measured slowdown of kernels under pressure on the " +
		"memory that their cores share (" + shared + ")", Columns: []Column{name("kernel"), name("platform"),
		number("pressure").about("pressure level, up to 10, that slows other kernels as much as this kernel at full " +
			"speed; -: undetermined")}}
	for _, l := range levels {
		t.Columns = append(t.Columns, number(fmt.Sprintf("level %g", l)).about(
			"service time at that level relative to the kernel alone"))
	}
	t.Columns = append(t.Columns, name("not measured"))
	for i := range p.Kernels {
		k := &p.Kernels[i]
		c := k.Contention
		if c == nil {
			continue
		}
		row := []Cell{text(cmp.Or(k.Instance, k.Block)), text(k.Platform), plain(c.Pressure)}
		for _, l := range levels {
			at := slices.IndexFunc(c.Slowdown, func(s profile.Slowdown) bool { return s.Level == l })
			if at < 0 {
				row = append(row, dash())
				continue
			}
			row = append(row, plain(&c.Slowdown[at].Times))
		}
		t.add(append(row, text(cmp.Or(c.Unmeasured, "-")))...)
	}
	return t.orNil()
}

// muchContention is the fraction of a kernel's service time above which the findings include its contention.
const muchContention = 0.02

// contention adds a finding about the kernel of the bottleneck that suffers most from memory contention.
func (f *findings) contention(c *result.Candidate) {
	if len(c.Bottlenecks) == 0 {
		return
	}
	var maximum *result.Station
	times, limits := 1+muchContention, make(map[string]bool)
	for _, l := range c.Bottlenecks[0].Limits {
		for _, m := range l.Members {
			limits[m] = true
		}
	}
	for i := range c.Stations {
		s := &c.Stations[i]
		own, more := partOf(s, flow.Compute.String()), partOf(s, flow.Contended.String())
		if limits[s.Name] && own > 0 && 1+float64(more/own) >= times {
			maximum, times = s, 1+float64(more/own)
		}
	}
	if maximum == nil {
		return
	}
	f.add(faults.MemoryContention, hint, fmt.Sprintf("memory contention with other cores slows %s by a factor of "+
		"%.2f (measured) and uses %s of %s", maximum.Name, times,
		units.Percent(float64(partOf(maximum, flow.Contended.String()))), maximum.On),
		"move kernels with high memory traffic to its core, or reduce their traffic (calibrate --report lists them)",
		"")
}
