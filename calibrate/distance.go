package calibrate

import (
	"slices"

	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
)

// The host of a virtual machine moves virtual processors between cores, in phases of a second to minutes. In some
// phases, two virtual processors share a cache. In others, they share no cache, and transfers between them cost several
// times as much. The distance of two cores is the transfer time of a cache line between them. The undisturbed distance
// is its lowest mode that is not rare.

// distances returns a summary of the given distances; nil if there are none.
func distances(list []float64) *profile.Distance {
	if len(list) == 0 {
		return nil
	}
	d := &profile.Distance{Windows: len(list), Good: goodtime.NearMode(list)}
	var far []float64
	near := 0
	for _, x := range list {
		switch {
		case d.Far(x):
			far = append(far, x)
		case d.Near(x):
			near++
		}
	}
	d.Undisturbed = float64(near) / float64(len(list))
	if len(far) >= profile.FewestWindows {
		slices.Sort(far)
		d.FarApart = far[len(far)/2]
	}
	return d
}

// byDistance divides windows into those with near cores and those with far cores. Windows without a distance count as
// near. Windows with a distance between near and far are ignored.
func byDistance[T any](d *profile.Distance, windows []T, of func(*T) float64) (near, far []T) {
	for i := range windows {
		switch at := of(&windows[i]); {
		case d == nil || at == 0 || d.Near(at):
			near = append(near, windows[i])
		case d.Far(at):
			far = append(far, windows[i])
		}
	}
	return near, far
}

// crossingCost contains the cost of transfers to or from another core in s/byte, with near cores and with far cores.
type crossingCost struct{ near, far cost }

func (c *crossingCost) store(d *profile.Distance, windows []sample) {
	near, far := byDistance(d, windows, (*sample).coreDistance)
	c.near.add(costsOf(near))
	c.far.add(costsOf(far))
}

// figures returns the cost with near cores, and the cost with far cores (nil if too few runs measured it). If the cores
// were near in too few runs, the first figure includes the windows with far cores.
func (c *crossingCost) figures() (near, far *profile.Figure) {
	if len(c.far.runs) >= crossingRounds {
		far = extra(c.far, 0)
	}
	if len(c.near.runs) >= crossingRounds || len(c.far.windows) == 0 {
		return extra(c.near, 0), far
	}
	all := cost{windows: slices.Concat(c.near.windows, c.far.windows), runs: slices.Concat(c.near.runs, c.far.runs)}
	return extra(all, 0), far
}

// crossed reports whether enough runs have measured the cost of transfers with near cores and, if they are not rare on
// this machine, with far cores.
func (m *reference) crossed(list []crossed) bool {
	if m == nil {
		return len(list) >= crossingRounds
	}
	d := distances(m.distances)
	near, far := 0, 0
	for i := range list {
		n, f := byDistance(d, list[i].far, (*sample).coreDistance)
		if len(n) > 0 {
			near++
		}
		if len(f) > 0 {
			far++
		}
	}
	if d == nil || d.FarApart == 0 {
		return near >= crossingRounds
	}
	return (near >= crossingRounds || d.Undisturbed < rare) && (far >= crossingRounds || 1-d.Undisturbed < rare)
}

// rare is the fraction of the time below which near or far cores are rare. The calibration does not wait for rare
// distances.
const rare = 0.1
