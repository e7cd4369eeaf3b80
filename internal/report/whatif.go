package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/internal/design"
)

// WhatIf is the throughput of the first candidates when one thing is other than it is.
type WhatIf struct {
	Name string `json:"name"` // "bandwidth of PCIX", "clock of fpga"
	// Unit is that of Now and Values: "B/s", or "" for times the present clock.
	Unit       string     `json:"unit"`
	Now        Number     `json:"now"`
	Origin     string     `json:"origin"` // of Now
	Values     []Number   `json:"values"`
	Throughput [][]Number `json:"throughput"` // of each candidate, by value
}

// Sizes of what is tried: so many candidates, and steps of half a binary power to each side.
const (
	whatIfCandidates = 6
	whatIfSteps      = 8
)

// ask solves mappings again with every link that one of them uses faster and slower, and with
// every FPGA's clock (Gayen 2008, Figs. 6.10, 6.16, 6.18).
func (r *Result) ask(ctx context.Context, d *design.Design, mappings []*flow.Mapping) error {
	mappings = mappings[:min(len(mappings), whatIfCandidates)]
	p := d.Problem
	for l := range p.Architecture.Links {
		link := &p.Architecture.Links[l]
		used := slices.ContainsFunc(mappings, func(m *flow.Mapping) bool {
			n, err := flow.NewNetwork(p, m)
			return err == nil && slices.ContainsFunc(n.Mapping.Route, func(route []int) bool { return slices.Contains(route, l) })
		})
		if !used || !(link.Bandwidth > 0) || math.IsInf(link.Bandwidth, 1) {
			continue
		}
		w := WhatIf{Name: "bandwidth of " + link.Name, Unit: "B/s", Now: Number(link.Bandwidth), Origin: link.Origin.String()}
		if err := w.solve(ctx, mappings, func(times float64) *flow.Problem {
			q := *p
			q.Architecture.Links = slices.Clone(p.Architecture.Links)
			q.Architecture.Links[l].Bandwidth *= times
			return &q
		}); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		r.keep(w)
	}
	for i := range p.Architecture.Resources {
		res := &p.Architecture.Resources[i]
		if res.Sharing.Rule != flow.AreaOnly || !slices.ContainsFunc(mappings, func(m *flow.Mapping) bool { return slices.Contains(m.Place, i) }) {
			continue
		}
		w := WhatIf{Name: "clock of " + res.Name, Now: 1, Origin: "assumed"}
		if err := w.solve(ctx, mappings, func(times float64) *flow.Problem {
			q := *p
			q.Figures = slices.Clone(p.Figures)
			for k := range q.Figures {
				q.Figures[k] = slices.Clone(p.Figures[k])
				q.Figures[k][i].ServiceRate *= times
			}
			return &q
		}); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		r.keep(w)
	}
	return nil
}

// keep keeps what changes anything.
func (r *Result) keep(w WhatIf) {
	for _, list := range w.Throughput {
		if slices.Min(list) < slices.Max(list)*(1-1e-6) {
			r.WhatIf = append(r.WhatIf, w)
			return
		}
	}
}

func (w *WhatIf) solve(ctx context.Context, mappings []*flow.Mapping, change func(times float64) *flow.Problem) error {
	w.Throughput = make([][]Number, len(mappings))
	for step := -whatIfSteps; step <= whatIfSteps; step++ {
		times := math.Exp2(float64(step) / 2)
		p := change(times)
		w.Values = append(w.Values, w.Now*Number(times))
		for i, m := range mappings {
			throughput, err := throughputOf(ctx, p, m)
			if err != nil {
				return err
			}
			w.Throughput[i] = append(w.Throughput[i], throughput)
		}
	}
	return nil
}

// throughputOf solves a problem for a mapping.
func throughputOf(ctx context.Context, p *flow.Problem, m *flow.Mapping) (Number, error) {
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		return 0, err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return 0, err
	}
	return Number(s.Throughput), nil
}

// Complete adds what a report shows beside the predictions: the mappings of the candidates
// in X, and what changes would bring.
func (r *Result) Complete(ctx context.Context, d *design.Design, mappings []*flow.Mapping) error {
	for i, m := range mappings {
		if i >= len(r.Candidates) {
			break
		}
		var text strings.Builder
		if err := d.WriteMapping(&text, m, nil, ""); err != nil {
			return fmt.Errorf("writing mapping %s: %w", r.Candidates[i].Name, err)
		}
		r.Candidates[i].Code = text.String()
	}
	if err := r.intervals(ctx, d, mappings); err != nil {
		return fmt.Errorf("finding between which throughputs the candidates lie: %w", err)
	}
	return r.ask(ctx, d, mappings)
}
