package predict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// The maximum number of candidates, and the number of steps by a factor of √2 in each direction.
const (
	whatIfCandidates = 6
	whatIfSteps      = 8
)

// ask computes the throughput of the mappings with each link, and each FPGA's clock, faster and slower (Gayen 2008,
// Figs. 6.10, 6.16, 6.18). It skips parts that no mapping uses.
func ask(ctx context.Context, r *result.Result, designs []*design.Design, mappings []*flow.Mapping) error {
	if len(mappings) == 0 {
		return nil
	}
	p := designs[0].Problem // all candidates have the same architecture
	var networks []*varied
	for i, m := range mappings[:min(len(mappings), whatIfCandidates)] {
		n, err := newVaried(designs[i].Problem, m)
		if err != nil {
			return err
		}
		networks = append(networks, n)
	}
	for l := range p.Architecture.Links {
		link := &p.Architecture.Links[l]
		on := func(v *varied) []int { return v.onLink[l] }
		if !used(networks, on) || !(link.Bandwidth > 0) || math.IsInf(link.Bandwidth, 1) {
			continue
		}
		w := result.WhatIf{Name: "bandwidth of " + link.Name, Unit: "B/s", Now: result.Number(link.Bandwidth),
			Origin: link.Origin.String()}
		if err := solve(ctx, &w, networks, on); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		keep(r, w)
	}
	for i := range p.Architecture.Resources {
		res := &p.Architecture.Resources[i]
		on := func(v *varied) []int { return v.onResource[i] }
		if res.Sharing.Rule != flow.AreaOnly || !used(networks, on) {
			continue
		}
		w := result.WhatIf{Name: "clock of " + res.Name, Now: 1, Origin: "assumed"}
		if err := solve(ctx, &w, networks, on); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		keep(r, w)
	}
	return nil
}

// varied computes the throughput of one mapping with faster or slower stations.
type varied struct {
	variations         *flow.Variations
	onResource, onLink [][]int // stations of each resource and link
}

func newVaried(p *flow.Problem, m *flow.Mapping) (*varied, error) {
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		return nil, err
	}
	v := &varied{variations: flow.NewVariations(n),
		onResource: make([][]int, len(p.Architecture.Resources)), onLink: make([][]int, len(p.Architecture.Links))}
	for i := range n.Stations {
		if st := &n.Stations[i]; st.Kind == flow.LinkStation {
			v.onLink[st.Link] = append(v.onLink[st.Link], i)
		} else {
			v.onResource[st.Resource] = append(v.onResource[st.Resource], i)
		}
	}
	return v, nil
}

// used reports whether any of the networks has a station on a resource or link.
func used(networks []*varied, on func(*varied) []int) bool {
	return slices.ContainsFunc(networks, func(v *varied) bool { return len(on(v)) > 0 })
}

// keep adds w to the result, unless the change has no effect on any throughput.
func keep(r *result.Result, w result.WhatIf) {
	for _, list := range w.Throughput {
		if slices.Min(list) < slices.Max(list)*(1-1e-6) {
			r.WhatIf = append(r.WhatIf, w)
			return
		}
	}
}

// solve computes the throughput of each network at each factor for the stations of one part.
func solve(ctx context.Context, w *result.WhatIf, networks []*varied, on func(*varied) []int) error {
	w.Throughput = make([][]result.Number, len(networks))
	for step := -whatIfSteps; step <= whatIfSteps; step++ {
		times := math.Exp2(float64(step) / 2)
		w.Values = append(w.Values, w.Now*result.Number(times))
		for i, v := range networks {
			if err := ctx.Err(); err != nil {
				return err
			}
			throughput, err := v.variations.Throughput(on(v), func(int) float64 { return times })
			if err != nil {
				return err
			}
			w.Throughput[i] = append(w.Throughput[i], result.Number(throughput))
		}
	}
	return nil
}

// Complete adds to a result the X text of the candidates' mappings, with buffers, and the effects of changed bandwidths
// and clocks. designs contains the design of each mapping. If extras is done, a warning replaces the effects.
func Complete(ctx, extras context.Context, r *result.Result, designs []*design.Design,
	mappings []*flow.Mapping) error {
	for i, m := range mappings {
		if i >= len(r.Candidates) {
			break
		}
		if len(r.Candidates[i].Place) == 0 {
			continue // the candidate has no prediction
		}
		d := designs[i]
		var text strings.Builder
		if err := d.WriteMapping(&text, m, shownSizes(d, m, &r.Candidates[i]), ""); err != nil {
			return fmt.Errorf("writing mapping %s: %w", r.Candidates[i].Name, err)
		}
		r.Candidates[i].Code = text.String()
	}
	err := extras.Err()
	if err == nil {
		err = ask(extras, r, designs, mappings)
	}
	if err != nil && extras.Err() != nil && ctx.Err() == nil {
		r.Warnings = append(r.Warnings, leftOut(extras, "the effect of other bandwidths and clocks"))
		return nil
	}
	return err
}
