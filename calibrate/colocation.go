package calibrate

import (
	"context"
	"slices"

	"xopt/calibrate/faults"
	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
)

// onOneCore reports whether the mapping places all kernels on one core.
func onOneCore(d *design.Design) bool {
	return !slices.ContainsFunc(d.Mapping.Place, func(r int) bool { return r != d.Mapping.Place[0] })
}

// fewestTogether is the minimum number of undisturbed windows for which a run of all kernels counts.
const fewestTogether = 2

// together runs all kernels on one core. It measures the time per byte of each kernel in this run, and the time of the
// process between the turns of kernels.
func together(ctx context.Context, d *design.Design, runs []*kernelRun, all *variant, machine *reference) error {
	m, err := all.run(ctx, 2*runWindows)
	if err != nil {
		return err
	}
	work, between := make([][]sample, len(runs)), make([][]sample, len(runs))
	turns := machine.turnsOf(m, 0)
	for i := range m.Frames {
		if i < warmUpWindows || i == len(m.Frames)-1 {
			continue
		}
		f := &m.Frames[i]
		bytes := bytesConsumed(d, f)
		had := turnsOf(d, f)
		rest, all := betweenTurns(&turns, f), sum(had)
		for j, r := range runs {
			k := &f.Kernels[r.kernel]
			if !(bytes[r.kernel] > 0 && k.Busy > 0) {
				continue
			}
			w := machine.sample(k.Busy/bytes[r.kernel], &turns, f)
			if !(w.cost > 0) { // another process had the processor for the entire window
				continue
			}
			work[j] = append(work[j], w)
			if len(m.Processes) == 1 && all > 0 {
				w.cost = rest * float64(had[r.kernel]) / float64(all) / bytes[r.kernel]
				between[j] = append(between[j], w)
			}
		}
	}
	lost := func(w sample) bool { return w.preempted() }
	for j, r := range runs {
		clean := slices.DeleteFunc(slices.Clone(work[j]), lost)
		switch {
		case len(clean) >= fewestTogether:
			r.clean.coLocation = append(r.clean.coLocation, clean)
			if quiet := slices.DeleteFunc(between[j], lost); len(quiet) > 0 {
				r.clean.switching = append(r.clean.switching, quiet)
			}
		case len(work[j]) > 0:
			r.rough.coLocation = append(r.rough.coLocation, work[j])
			if len(between[j]) > 0 {
				r.rough.switching = append(r.rough.switching, between[j])
			}
		}
	}
	return nil
}

// bytesConsumed returns the bytes that each kernel consumed in a frame. For a source, it returns the bytes that the
// source sent.
func bytesConsumed(d *design.Design, f *run.FrameData) []float64 {
	copies := d.Program.Copies()
	bytes := make([]float64, len(d.Program.Kernels))
	for e, edge := range d.Program.Edges {
		if isSource(&d.Program.Kernels[edge.From]) && !copies[e] {
			out := d.Program.Kernels[edge.From].Outputs[edge.FromPort]
			bytes[edge.From] += float64(f.Edges[e].Sent) * out.ElementBytes
		}
		bytes[edge.To] += float64(f.Edges[e].Consumed) * d.Program.Kernels[edge.To].Inputs[edge.ToPort].ElementBytes
	}
	return bytes
}

// betweenTurns returns the time in seconds of a frame in which the only process of a run executed no kernel. It
// excludes the turns of the reference load, and the time of other processes.
func betweenTurns(t *turns, f *run.FrameData) float64 {
	length := f.End - f.Start
	rest := length
	if t.alone {
		rest -= t.lost(f) * length
	}
	for i := range f.Kernels {
		rest -= f.Kernels[i].Worked
	}
	for _, x := range t.list {
		if x.Time >= f.Start && x.Time < f.End {
			rest -= x.Seconds
		}
	}
	return max(0, rest)
}

// turnsOf returns the number of scheduling turns of each kernel in a frame. Because a source may be called several
// times in a turn, its number is at most the largest number of the other kernels.
func turnsOf(d *design.Design, f *run.FrameData) []uint64 {
	had, maximum := make([]uint64, len(f.Kernels)), uint64(1)
	for k := range had {
		if had[k] = f.Kernels[k].Calls; !isSource(&d.Program.Kernels[k]) {
			maximum = max(maximum, had[k])
		}
	}
	for k := range had {
		if isSource(&d.Program.Kernels[k]) {
			had[k] = min(had[k], maximum)
		}
	}
	return had
}

func sum(list []uint64) uint64 {
	all := uint64(0)
	for _, x := range list {
		all += x
	}
	return all
}

// OneCore returns a mapping of all kernels to the first core that supports all kernels.
func OneCore(d *design.Design) (*flow.Mapping, error) {
	for r := range d.Program.Resources {
		if !slices.ContainsFunc(d.Problem.Figures, func(f []flow.Figures) bool { return !f[r].Available }) {
			place := make([]int, len(d.Program.Kernels))
			for k := range place {
				place[k] = r
			}
			return &flow.Mapping{Place: place, Route: make([][]int, len(d.Program.Edges))}, nil
		}
	}
	return nil, faults.NoCoreForAll.Errorf("no core can run every kernel, so xopt cannot record the data: add a " +
		"mapping onto cores")
}
