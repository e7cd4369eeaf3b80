package report

import (
	"context"
	"slices"

	"xopt/flow"
)

// faster is how much faster a part is made to see what that brings.
const faster = 1.1

// tenPercent solves the mapping anew with each part of it in turn a tenth faster.
// A shadow price says the same for small changes, where one limit binds; this
// holds where several do, and where the next limit is near. What has a price of
// zero can bring nothing and is left alone.
func (b *builder) tenPercent(ctx context.Context) error {
	arch := &b.design.Problem.Architecture
	routes := flow.NewRoutes(arch)
	solve := func(change func(*flow.Problem)) (Number, error) {
		p := *b.design.Problem
		p.Figures = slices.Clone(p.Figures)
		p.Architecture.Links = slices.Clone(p.Architecture.Links)
		change(&p)
		n, err := flow.NewNetworkWith(&p, b.network.Flows, routes, b.network.Mapping)
		if err != nil {
			return 0, err
		}
		s, err := flow.Fast{}.Solve(ctx, n)
		if err != nil {
			return 0, err
		}
		return Number(max(0, s.Throughput/b.solution.Throughput-1)), nil
	}
	quicken := func(p *flow.Problem, kernel, resource int) {
		p.Figures[kernel] = slices.Clone(p.Figures[kernel])
		p.Figures[kernel][resource].ServiceRate *= faster
	}
	var err error
	for i := range b.network.Stations {
		st, out := &b.network.Stations[i], &b.out.Stations[i]
		if st.Kind != flow.KernelStation || !(out.Elasticity > 0) {
			continue
		}
		if out.TenPercent, err = solve(func(p *flow.Problem) { quicken(p, st.Kernel, st.Resource) }); err != nil {
			return err
		}
	}
	for _, block := range b.repeated() {
		out := Block{Name: block.name, Platform: block.platform, Instances: len(block.stations)}
		out.TenPercent, err = solve(func(p *flow.Problem) {
			for _, i := range block.stations {
				quicken(p, b.network.Stations[i].Kernel, b.network.Stations[i].Resource)
			}
		})
		if err != nil {
			return err
		}
		b.out.Blocks = append(b.out.Blocks, out)
	}
	for r := range arch.Resources {
		out := &b.out.Resources[r]
		if !(out.Elasticity > 0) {
			continue
		}
		out.TenPercent, err = solve(func(p *flow.Problem) {
			for k, at := range b.network.Mapping.Place {
				if at == r {
					quicken(p, k, r)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for l := range arch.Links {
		out := &b.out.Links[l]
		if !(out.Elasticity > 0) {
			continue
		}
		if out.TenPercent, err = solve(func(p *flow.Problem) { p.Architecture.Links[l].Bandwidth *= faster }); err != nil {
			return err
		}
	}
	return nil
}

// implementation is a block on a platform, with the stations that run it.
type implementation struct {
	name, platform string
	stations       []int
}

// repeated lists the implementations that run more than once and have a price.
func (b *builder) repeated() []implementation {
	p := b.design.Problem
	var all []implementation
	for i := range b.network.Stations {
		st := &b.network.Stations[i]
		if st.Kind != flow.KernelStation {
			continue
		}
		name, platform := p.Application.Kernels[st.Kernel].Block, p.Architecture.Resources[st.Resource].Platform
		at := slices.IndexFunc(all, func(x implementation) bool { return x.name == name && x.platform == platform })
		if at < 0 {
			at = len(all)
			all = append(all, implementation{name: name, platform: platform})
		}
		all[at].stations = append(all[at].stations, i)
	}
	return slices.DeleteFunc(all, func(x implementation) bool {
		priced := slices.ContainsFunc(x.stations, func(i int) bool { return b.out.Stations[i].Elasticity > 0 })
		return len(x.stations) < 2 || !priced
	})
}
