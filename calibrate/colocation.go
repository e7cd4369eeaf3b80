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

// together runs all kernels on one core, and takes what each needs for a byte in
// that run beside the others.
func together(ctx context.Context, d *design.Design, runs []*kernelRun, all *variant, report *Report) error {
	m, disturbed, err := all.run(ctx, 2*runWindows, report)
	if err != nil {
		return err
	}
	copies := d.Program.Copies()
	costs := make([][]float64, len(runs))
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
				costs[j] = append(costs[j], f.Kernels[r.kernel].Busy/bytes[r.kernel])
			}
		}
	}
	for j, r := range runs {
		var x readings
		x.coLocation.take(costs[j])
		r.keep(&x, disturbed)
	}
	return nil
}
