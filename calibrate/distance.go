package calibrate

import (
	"slices"

	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
)

// The host of a virtual machine moves virtual processors from core to core, in phases of a second to minutes. At some
// times, two virtual processors share a cache. At other times they share no cache, and transfers between them cost
// several times as much. The distance is the transfer time of a cache line from core to core. The undisturbed distance
// is the lowest mode that is not rare.

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

// byDistance divides windows by the distance of the cores in each window. Windows without a distance count as near.
// Windows between near and far do not count.
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

// crossingCost collects the cost of crossing to another core in s/byte, while the cores are near and while they
// are far apart.
type crossingCost struct{ near, far cost }

func (c *crossingCost) store(d *profile.Distance, windows []sample) {
	near, far := byDistance(d, windows, (*sample).coreDistance)
	c.near.add(costsOf(near))
	c.far.add(costsOf(far))
}

// figures returns the undisturbed cost, and the cost while the cores are far apart (nil if they never were far apart).
// If the cores were near in too few runs, the first figure is computed from all windows.
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

// crossed reports whether enough runs measured the cost of crossing while the cores are near. On a machine that moves
// processors, enough runs must also measure it while the cores are far apart.
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

// rare is a fraction of the time. The calibration waits for a near or far distance only if the distance occurs for at
// least this fraction.
const rare = 0.1
