package report

import (
	"cmp"
	"fmt"
	"slices"

	"xopt/flow/profile"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// CalibrationHead is the answer of a calibration: how many kernels have figures, which is the slowest, and how well
// they are known.
func CalibrationHead(p *profile.Profile) []Part {
	s := &script{}
	var slowest *profile.Kernel
	known, vague := 0, 0
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.ServiceRate == nil || !(k.ServiceRate.Value > 0) {
			continue
		}
		known++
		if half, ok := k.ServiceRate.Precision(); !k.ServiceRate.AtLeast && (!ok || half > vagueFrom) {
			vague++
		}
		if slowest == nil || k.ServiceRate.Value < slowest.ServiceRate.Value {
			slowest = k
		}
	}
	if slowest == nil {
		s.lead("Measured", "no kernel")
		return s.parts
	}
	figures := "all known to "
	if vague > 0 {
		figures = fmt.Sprintf("%d of them not known to ", vague)
	}
	s.lead("Measured", "%s; the slowest alone is %s on %s, %s; %s± %s", count(known, "kernel"),
		cmp.Or(slowest.Instance, slowest.Block), slowest.Platform, units.Rate(slowest.ServiceRate.Value), figures,
		units.Percent(vagueFrom))
	return s.parts
}

// vagueFrom is from what half interval on, relative to the figure, it is told that a figure is not well known.
const vagueFrom = 0.1

// ValidationHead is the answer of a validation: how far predictions are off.
func ValidationHead(r *result.Result) []Part {
	s := &script{}
	v := r.Validation
	if v.Summary.Cases == 0 {
		why := ""
		for i := range v.Cases {
			if why = v.Cases[i].Fail; why != "" {
				break
			}
		}
		s.lead("Error", "not known: no mapping could be %s: %s", verb(v), cmp.Or(why, "no run ended"))
		return s.parts
	}
	f := &factList{}
	f.validation(v)
	list := slices.DeleteFunc(f.list, func(x Fact) bool { return x.Label == "Repeatability" }) // it is told below
	return leads(list)
}
