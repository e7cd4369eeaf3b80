package predict

import (
	"context"
	"slices"

	"xopt/flow"
	"xopt/mapper/result"
)

// faster is the factor by which a part is accelerated.
const faster = 1.1

// tenPercent computes the gain in throughput if one part at a time is 10 % faster. Unlike shadow prices, these gains
// are also valid if several limits bind, or if the next limit is near. tenPercent skips parts with a price of 0,
// because they have no gain.
func (b *builder) tenPercent(ctx context.Context) error {
	v := flow.NewVariations(b.network)
	gain := func(stations ...int) (result.Number, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		throughput, err := v.Throughput(stations, func(int) float64 { return faster })
		return result.Number(max(0, throughput/b.solution.Throughput-1)), err
	}
	onResource := make([][]int, len(b.out.Resources))
	onLink := make([][]int, len(b.out.Links))
	var err error
	for i := range b.network.Stations {
		st, out := &b.network.Stations[i], &b.out.Stations[i]
		if st.Kind == flow.LinkStation {
			onLink[st.Link] = append(onLink[st.Link], i)
			continue
		}
		onResource[st.Resource] = append(onResource[st.Resource], i)
		if !(out.Elasticity > 0) {
			continue
		}
		if out.TenPercent, err = gain(i); err != nil {
			return err
		}
	}
	for _, block := range b.repeated() {
		out := result.Block{Name: block.name, Platform: block.platform, Instances: len(block.stations)}
		if out.TenPercent, err = gain(block.stations...); err != nil {
			return err
		}
		b.out.Blocks = append(b.out.Blocks, out)
	}
	for r := range b.out.Resources {
		if out := &b.out.Resources[r]; out.Elasticity > 0 {
			if out.TenPercent, err = gain(onResource[r]...); err != nil {
				return err
			}
		}
	}
	for l := range b.out.Links {
		if out := &b.out.Links[l]; out.Elasticity > 0 {
			if out.TenPercent, err = gain(onLink[l]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// implementation is a block on a platform, with the stations of its instances.
type implementation struct {
	name, platform string
	stations       []int
}

// repeated lists the implementations with several instances and a nonzero price.
func (b *builder) repeated() []implementation {
	p := b.design.Problem
	type key struct{ name, platform string }
	index := make(map[key]int)
	var all []implementation
	for i := range b.network.Stations {
		st := &b.network.Stations[i]
		if st.Kind != flow.KernelStation {
			continue
		}
		id := key{p.Application.Kernels[st.Kernel].Block, p.Architecture.Resources[st.Resource].Platform}
		at, isKnown := index[id]
		if !isKnown {
			at = len(all)
			index[id] = at
			all = append(all, implementation{name: id.name, platform: id.platform})
		}
		all[at].stations = append(all[at].stations, i)
	}
	return slices.DeleteFunc(all, func(x implementation) bool {
		priced := slices.ContainsFunc(x.stations, func(i int) bool { return b.out.Stations[i].Elasticity > 0 })
		return len(x.stations) < 2 || !priced
	})
}
