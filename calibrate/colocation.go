package calibrate

import (
	"context"
	"slices"

	"xopt/internal/design"
)

// onOneCore reports whether the mapping uses one core.
func onOneCore(d *design.Design) bool {
	return !slices.ContainsFunc(d.Mapping.Place, func(r int) bool { return r != d.Mapping.Place[0] })
}

// fewestTogether is how many windows of one run of all kernels are enough, without those in which another process had
// the processor.
const fewestTogether = 2

// together runs all kernels on one core, and takes what each needs for a byte in
// that run beside the others.
func together(ctx context.Context, d *design.Design, runs []*kernelRun, all *variant, machine *reference) error {
	m, err := all.run(ctx, 2*runWindows)
	if err != nil {
		return err
	}
	copies := d.Program.Copies()
	costs := make([][]sample, len(runs))
	turns := machine.begin(m, 0)
	for i, f := range m.Frames {
		if i < warmUpWindows || i == len(m.Frames)-1 {
			continue
		}
		bytes := make([]float64, len(d.Program.Kernels))
		for e, edge := range d.Program.Edges {
			if isSource(&d.Program.Kernels[edge.From]) && !copies[e] {
				out := d.Program.Kernels[edge.From].Outputs[edge.FromPort]
				bytes[edge.From] += float64(f.Edges[e].Sent) * out.ElementBytes
			}
			bytes[edge.To] += float64(f.Edges[e].Taken) * d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes
		}
		for j, r := range runs {
			if bytes[r.kernel] > 0 && f.Kernels[r.kernel].Busy > 0 {
				costs[j] = append(costs[j], machine.sample(f.Kernels[r.kernel].Busy/bytes[r.kernel], &turns, &f))
			}
		}
	}
	for j, r := range runs {
		clean := slices.DeleteFunc(slices.Clone(costs[j]), func(w sample) bool { return w.preempted() })
		switch {
		case len(clean) >= fewestTogether:
			r.clean.coLocation = append(r.clean.coLocation, clean)
		case len(costs[j]) > 0:
			r.rough.coLocation = append(r.rough.coLocation, costs[j])
		}
	}
	return nil
}
