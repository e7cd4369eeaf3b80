package validate

import (
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/result"
)

// Ran is a mapping with its measured throughput and the time of each kernel per input byte in s, 0 if unknown. If a
// validation measured the slowdown of the machine, all figures are corrected for an undisturbed machine.
type Ran struct {
	Mapping  *flow.Mapping
	Measured float64 // bytes/s from the sources
	Busy     []float64
	Runs     int
}

// RanIn returns the mappings that ran in a result: the cases of a validation, or a deployment. It ignores cases that
// were too short, unsteady, simulated with random times, or disturbed in most runs. It also ignores cases whose runs do
// not support a necessary correction. It ignores mappings with copies, too, and returns their number. It returns an
// error if the result belongs to another application.
func RanIn(d *design.Design, r *result.Result) (list []Ran, copies int, err error) {
	at := make(map[string]int)
	for k := range d.Program.Kernels {
		at[d.Program.Kernels[k].Name] = k
	}
	start := func(places []result.Placement, measured float64, runs int) (*Ran, error) {
		x := &Ran{Mapping: &flow.Mapping{Place: make([]int, len(at)), Route: make([][]int, len(d.Program.Edges))},
			Measured: measured, Busy: make([]float64, len(at)), Runs: runs}
		placed := 0
		for _, p := range places {
			k, ok := at[p.Kernel]
			to := slices.IndexFunc(d.Program.Resources, func(x xlang.Resource) bool { return x.Name == p.Resource })
			if !ok || to < 0 {
				return nil, faults.OtherApplication.Errorf("the result belongs to another application: %s on %s is "+
					"not in these X files", p.Kernel, p.Resource)
			}
			x.Mapping.Place[k] = to
			placed++
		}
		if placed != len(at) {
			return nil, faults.OtherApplication.Errorf("the result belongs to another application with %d kernels, "+
				"but these X files have %d kernels", placed, len(at))
		}
		return x, nil
	}
	// The design to refine has no figures for single copies. Names in X files contain no #.
	copied := func(p result.Placement) bool {
		of, _, isCopy := strings.Cut(p.Kernel, "#")
		_, ok := at[of]
		return isCopy && ok
	}
	if m := r.Measured; m != nil && m.Simulated == "" && slices.ContainsFunc(m.Place, copied) {
		copies++
	} else if m != nil && m.Simulated == "" && m.Disturbed == "" {
		if out, _, reported := m.Rates(); reported && out > 0 {
			x, err := start(m.Place, out, 1)
			if err != nil {
				return nil, 0, err
			}
			for i := range m.Kernels {
				if k, ok := at[m.Kernels[i].Kernel]; ok && m.Kernels[i].ServiceRate > 0 {
					x.Busy[k] = 1 / m.Kernels[i].ServiceRate
				}
			}
			list = append(list, *x)
		}
	}
	if v := r.Validation; v != nil && !v.FromProfile {
		for i := range v.Cases {
			c := &v.Cases[i]
			if c.Candidate >= 0 && c.Candidate < len(r.Candidates) &&
				slices.ContainsFunc(r.Candidates[c.Candidate].Place, copied) {
				copies++
				continue
			}
			if c.Fail != "" || c.Unsteady || c.Uncorrected != "" || 2*c.Disturbed > len(c.Runs) || c.Candidate < 0 ||
				len(c.InPlace) == 0 {
				continue
			}
			x, err := start(r.Candidates[c.Candidate].Place, c.Ran(), len(c.Runs))
			if err != nil {
				return nil, 0, err
			}
			for _, p := range c.InPlace {
				if k, ok := at[p.Kernel]; ok {
					x.Busy[k] = median(p.Runs) * c.Measured / c.Ran()
				}
			}
			list = append(list, *x)
		}
	}
	return list, copies, nil
}

// merged combines runs of the same mapping. The times of kernels and the throughput are means over the runs.
func merged(ran []Ran) []Ran {
	var list []Ran
	for i := range ran {
		x := &ran[i]
		at := slices.IndexFunc(list, func(y Ran) bool { return slices.Equal(x.Mapping.Place, y.Mapping.Place) })
		if at < 0 {
			one := *x
			one.Busy = slices.Clone(x.Busy)
			list = append(list, one)
			continue
		}
		y := &list[at]
		part := float64(x.Runs) / float64(x.Runs+y.Runs)
		y.Measured += part * (x.Measured - y.Measured)
		for k := range y.Busy {
			switch {
			case !(x.Busy[k] > 0):
			case !(y.Busy[k] > 0):
				y.Busy[k] = x.Busy[k]
			default:
				y.Busy[k] += part * (x.Busy[k] - y.Busy[k])
			}
		}
		y.Runs += x.Runs
	}
	return list
}
