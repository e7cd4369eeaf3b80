package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"xopt/calibrate/profile"
	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
	"xopt/internal/xlang"
)

// Ran is a mapping that ran, and what each kernel took in place for a byte that came to it, in s; 0 where that is not
// known.
type Ran struct {
	Mapping  *flow.Mapping
	Measured float64 // bytes/s out of the sources
	Took     []float64
	Runs     int
}

// RanIn lists the mappings that ran of a result: the cases of a validation, and a deployment. What was too short to
// tell, not steady, drawn, or disturbed in most of its runs, tells nothing of a kernel.
func RanIn(d *design.Design, r *result.Result) ([]Ran, error) {
	var list []Ran
	at := make(map[string]int)
	for k := range d.Program.Kernels {
		at[d.Program.Kernels[k].Name] = k
	}
	begin := func(places []result.Placement, measured result.Number, runs int) (*Ran, error) {
		x := &Ran{Mapping: &flow.Mapping{Place: make([]int, len(at)), Route: make([][]int, len(d.Program.Edges))},
			Measured: float64(measured), Took: make([]float64, len(at)), Runs: runs}
		placed := 0
		for _, p := range places {
			k, ok := at[p.Kernel]
			to := slices.IndexFunc(d.Program.Resources, func(x xlang.Resource) bool { return x.Name == p.Resource })
			if !ok || to < 0 {
				return nil, fmt.Errorf("it is of another application: %s on %s is not in these X files", p.Kernel,
					p.Resource)
			}
			x.Mapping.Place[k] = to
			placed++
		}
		if placed != len(at) {
			return nil, fmt.Errorf("it is of another application: it has %d kernels, these X files have %d", placed,
				len(at))
		}
		return x, nil
	}
	if m := r.Measured; m != nil && m.Simulated == "" && m.Disturbed == "" {
		if out, _, told := m.Rates(); told && out > 0 {
			x, err := begin(m.Place, out, 1)
			if err != nil {
				return nil, err
			}
			for i := range m.Kernels {
				if k, ok := at[m.Kernels[i].Kernel]; ok && m.Kernels[i].ServiceRate > 0 {
					x.Took[k] = 1 / float64(m.Kernels[i].ServiceRate)
				}
			}
			list = append(list, *x)
		}
	}
	if v := r.Validation; v != nil && !v.FromProfile {
		for i := range v.Cases {
			c := &v.Cases[i]
			if c.Fail != "" || c.Unsteady || 2*c.Disturbed > len(c.Runs) || c.Candidate < 0 || len(c.InPlace) == 0 {
				continue
			}
			x, err := begin(r.Candidates[c.Candidate].Place, c.Measured, len(c.Runs))
			if err != nil {
				return nil, err
			}
			for _, p := range c.InPlace {
				if k, ok := at[p.Kernel]; ok {
					var runs []float64
					for _, n := range p.Runs {
						runs = append(runs, float64(n))
					}
					x.Took[k] = median(runs)
				}
			}
			list = append(list, *x)
		}
	}
	return list, nil
}

// Factor is how many times its own time, as the profile has it, a kernel takes in place.
type Factor struct {
	Kernel, Platform string
	Ratio, Low, High float64 // the mean over mappings, with its 95 % interval
	Mappings, Runs   int
}

// Refinement is what runs teach of the service times of kernels, and what it is worth.
type Refinement struct {
	Factors []Factor
	// Before, LeftOut and Fitted are the errors of the predicted throughput of each mapping: with the profile
	// as it was,
	// refined by the other mappings alone, and refined by all.
	Before, LeftOut, Fitted []float64
}

// fewestRan is how many mappings a kernel is refined by at least, so that an interval tells chance.
const fewestRan = 3

// Refined learns from mappings that ran how many times its own time each kernel takes in place: what it took, less the
// costs of its mapping, over what the profile has of it alone. Only a factor whose 95 % interval leaves out 1 counts.
func Refined(ctx context.Context, d *design.Design, ran []Ran) (*Refinement, error) {
	if len(ran) <= fewestRan {
		return nil, fmt.Errorf("%d mappings ran, but %d are needed to learn from: %d for a factor, and one to predict",
			len(ran), fewestRan+1, fewestRan)
	}
	ratios := make([][]float64, len(ran)) // of each mapping and kernel; 0 where not known
	for i := range ran {
		var err error
		if ratios[i], err = ratiosOf(ctx, d, &ran[i]); err != nil {
			return nil, err
		}
	}
	all := factors(d, ran, ratios, nil)
	r := &Refinement{Factors: all}
	for i := range ran {
		others := factors(d, ran, ratios, func(j int) bool {
			return slices.Equal(ran[i].Mapping.Place, ran[j].Mapping.Place)
		})
		for _, x := range []struct {
			factors []Factor
			errs    *[]float64
		}{{nil, &r.Before}, {others, &r.LeftOut}, {all, &r.Fitted}} {
			s, err := solved(ctx, d, &ran[i], x.factors)
			if err != nil {
				return nil, err
			}
			*x.errs = append(*x.errs, (s.Throughput-ran[i].Measured)/ran[i].Measured)
		}
	}
	return r, nil
}

// solved predicts a mapping with factors.
func solved(ctx context.Context, d *design.Design, ran *Ran, factors []Factor) (*flow.Solution, error) {
	p := *d.Problem
	p.Figures = slices.Clone(p.Figures)
	for _, f := range factors {
		k := slices.IndexFunc(d.Program.Kernels, func(x xlang.Kernel) bool { return x.Name == f.Kernel })
		p.Figures[k] = slices.Clone(p.Figures[k])
		for at := range p.Figures[k] {
			if d.Program.Resources[at].Platform == f.Platform {
				p.Figures[k][at].ServiceRate /= f.Ratio
			}
		}
	}
	n, err := flow.NewNetwork(&p, ran.Mapping)
	if err != nil {
		return nil, fmt.Errorf("predicting a mapping that ran: %w", err)
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("predicting a mapping that ran: %w", err)
	}
	return s, nil
}

// leastOwn is the part of a kernel's time that is its own at least: of less, costs tell, and not its time.
const leastOwn = 0.1

// ratiosOf are how many times its own time each kernel took in a mapping.
func ratiosOf(ctx context.Context, d *design.Design, ran *Ran) ([]float64, error) {
	n, err := flow.NewNetwork(d.Problem, ran.Mapping)
	if err != nil {
		return nil, fmt.Errorf("predicting a mapping that ran: %w", err)
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("predicting a mapping that ran: %w", err)
	}
	ratios := make([]float64, len(ran.Took))
	for i := range n.Stations {
		st, state := &n.Stations[i], &s.Stations[i]
		if st.Kind != flow.KernelStation || !(state.ArrivalRate > 0) || !(ran.Took[st.Kernel] > 0) ||
			design.IsFPGA(d.Program, ran.Mapping.Place[st.Kernel]) {
			continue
		}
		own, all := state.Parts[flow.Compute]/state.ArrivalRate, busyOf(state)/state.ArrivalRate
		if left := ran.Took[st.Kernel] - (all - own); own > 0 && own >= leastOwn*all && left >= leastOwn*own {
			ratios[st.Kernel] = left / own
		}
	}
	return ratios, nil
}

// factors are the significant ones of all mappings but those that are left out.
func factors(d *design.Design, ran []Ran, ratios [][]float64, without func(i int) bool) []Factor {
	var list []Factor
	for k := range d.Program.Kernels {
		logs, runs := make(map[string][]float64), make(map[string]int)
		var platforms []string
		for i := range ran {
			if without != nil && without(i) || !(ratios[i][k] > 0) {
				continue
			}
			at := d.Program.Resources[ran[i].Mapping.Place[k]].Platform
			if !slices.Contains(platforms, at) {
				platforms = append(platforms, at)
			}
			logs[at], runs[at] = append(logs[at], math.Log(ratios[i][k])), runs[at]+ran[i].Runs
		}
		for _, at := range platforms {
			n := len(logs[at])
			if n < fewestRan {
				continue
			}
			mean, sd := stat.MeanStdDev(logs[at], nil)
			half := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975) * sd / math.Sqrt(float64(n))
			if math.Abs(mean) <= half {
				continue
			}
			list = append(list, Factor{d.Program.Kernels[k].Name, at, math.Exp(mean), math.Exp(mean - half),
				math.Exp(mean + half), n, runs[at]})
		}
	}
	return list
}

// Better reports whether mappings are predicted better in the median when the others have refined the profile.
func (r *Refinement) Better() bool { return middleOf(r.LeftOut) < middleOf(r.Before) }

// middleOf is the median of the magnitudes of errors.
func middleOf(errs []float64) float64 {
	var list []float64
	for _, e := range errs {
		list = append(list, math.Abs(e))
	}
	return median(list)
}

// Apply returns a profile with the service rates refined, which say by which files.
func (r *Refinement) Apply(p *profile.Profile, d *design.Design, from []string) (*profile.Profile, error) {
	out := *p
	out.Kernels = slices.Clone(p.Kernels)
	for _, f := range r.Factors {
		at := slices.IndexFunc(d.Program.Kernels, func(k xlang.Kernel) bool { return k.Name == f.Kernel })
		i := slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool {
			return k.Instance == f.Kernel && k.Platform == f.Platform && k.Resource == ""
		})
		if i < 0 { // what holds for its block holds for the others on
			i = slices.IndexFunc(out.Kernels, func(k profile.Kernel) bool {
				return k.Instance == "" && k.Block == d.Program.Kernels[at].Block && k.Platform == f.Platform &&
					k.Resource == ""
			})
			if i < 0 {
				continue
			}
			one := out.Kernels[i]
			one.Instance = f.Kernel
			out.Kernels = append(out.Kernels, one)
			i = len(out.Kernels) - 1
		}
		k := &out.Kernels[i]
		if k.ServiceRate == nil {
			continue
		}
		was := *k.ServiceRate
		k.ServiceRate = &profile.Figure{Value: was.Value / f.Ratio, N: f.Runs,
			CI95: [2]float64{was.Value / f.High, was.Value / f.Low}}
		x := profile.Refined{From: slices.Clone(from), Factor: f.Ratio, Interval: [2]float64{f.Low, f.High},
			Mappings: f.Mappings}
		if k.Refined != nil {
			x.From = append(slices.Clone(k.Refined.From), x.From...)
			x.Factor *= k.Refined.Factor
			x.Interval = [2]float64{f.Low * k.Refined.Factor, f.High * k.Refined.Factor}
		}
		k.Refined = &x
	}
	if err := out.Validate(); err != nil {
		return nil, errors.Join(errors.New("the refined profile is not valid"), err)
	}
	return &out, nil
}
