package calibrate

import (
	"context"
	"slices"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// linkWindow is a window in which messages of one size crossed a link.
type linkWindow struct {
	seconds    float64 // per message
	send, read float64 // work time per message of the writer and of the reader in s
	distance   float64 // transfer time of a cache line between the cores in s; 0 if unknown
	corrected  float64 // slowdown due to far cores that was removed from seconds; 0 for none
}

func secondsOf(windows []linkWindow) []float64 {
	list := make([]float64, len(windows))
	for i, w := range windows {
		list[i] = w.seconds
	}
	return list
}

// linkWindows runs the programs of all sizes in rounds, until each size has valid windows. It returns the valid
// windows, and the number of invalid windows for each size.
func linkWindows(ctx context.Context, programs []*program.Program, report func()) ([][]linkWindow, []int, error) {
	windows, absurd, minimum := make([][]linkWindow, len(programs)), make([]int, len(programs)), 0.0
	empty := func(w []linkWindow) bool { return len(w) == 0 }
	for round := range linkTries * linkRounds {
		if round >= linkRounds && !slices.ContainsFunc(windows, empty) {
			break
		}
		report()
		for i, prog := range programs {
			m, err := run.Well(ctx, prog, run.Options{Time: runWindows * window, Frame: window})
			if err != nil {
				return nil, nil, err
			}
			windows[i] = append(windows[i], windowsOf(m)...)
			if cost := minCostOf(m); cost > 0 && (minimum == 0 || cost < minimum) {
				minimum = cost
			}
		}
	}
	for i, bytes := range linkSizes() {
		counts, agree := plausible(secondsOf(windows[i]), float64(bytes)*minimum)
		if !agree {
			return nil, nil, disagree(secondsOf(windows[i]), counts, bytes)
		}
		absurd[i] = len(windows[i])
		windows[i] = without(windows[i], counts)
		absurd[i] -= len(windows[i])
		if len(windows[i]) == 0 {
			return nil, nil, faults.MachineTooBusy.Errorf("no message of %d bytes arrived in %d windows: the machine "+
				"is too busy (calibrate again when it is idle)", bytes, linkTries*linkRounds*(runWindows-warmUpWindows))
		}
	}
	return windows, absurd, nil
}

// nameAbsurdLinks returns a note for each link with invalid windows.
func nameAbsurdLinks(links []profile.Link) (notes []fault.Note) {
	for i := range links {
		if absurd, windows := links[i].Absurd(); absurd > 0 {
			notes = append(notes, leftOut(absurd, windows, linkName(&links[i])))
		}
	}
	return notes
}

// leftOut returns a note about the invalid windows of a kernel or link.
func leftOut(absurd, windows int, name string) fault.Note {
	return faults.WindowsLeftOut.Notef("%d of %d windows of %s are omitted: their rates are impossible on this "+
		"machine, or differ from the other rates by a factor of more than %d", absurd, windows, name, farOff)
}

// disagree returns the error for a message size whose windows mostly contradict each other.
func disagree(seconds []float64, counts []bool, bytes int) error {
	return faults.WindowsDisagree.Errorf("%d windows with messages of %d bytes had rates from %s to %s, but at most "+
		"%d of these windows agree (calibrate again on a quiet machine)",
		len(seconds), bytes, units.Rate(float64(bytes)/slices.Max(seconds)),
		units.Rate(float64(bytes)/slices.Min(seconds)), len(without(seconds, counts)))
}

// minCostOf returns the minimum plausible time in s per byte of a message, derived from the reference load; 0 if
// unknown.
func minCostOf(m *run.Measurement) float64 {
	var machine reference
	for i := range m.Reference {
		if probes := medianProbes(m.Reference[i]); probes != nil {
			machine.probes = append(machine.probes, probeTimes{probes, i})
		}
	}
	return machine.minCost()
}

// windowsOf returns the windows of one run of a source and a sink.
func windowsOf(m *run.Measurement) []linkWindow {
	const sender, reader = 0, 1
	var list []linkWindow
	var t turns
	if len(m.Reference) > 0 {
		t.list = m.Reference[0]
	}
	for j := range m.Frames {
		f := &m.Frames[j]
		consumed := float64(f.Edges[0].Consumed)
		if j < warmUpWindows || j == len(m.Frames)-1 || consumed == 0 {
			continue
		}
		list = append(list, linkWindow{(f.End - f.Start) / consumed, f.Kernels[sender].Busy / consumed,
			f.Kernels[reader].Busy / consumed, distanceOf(t.near(f)), 0})
	}
	return list
}

// nearWindows returns the windows of each size with near cores, a summary of the distances, and the additional cost of
// messages between far cores. If this cost is unknown, far is nil, and all windows are returned. If a size has too few
// windows with near cores, it returns those with far cores, corrected by the slowdown of the other sizes.
func nearWindows(windows [][]linkWindow) ([][]linkWindow, *profile.Distance, *profile.LinkFar) {
	var all []float64
	for _, list := range windows {
		for _, w := range list {
			if w.distance > 0 {
				all = append(all, w.distance)
			}
		}
	}
	d := distances(all)
	if d == nil || d.FarApart == 0 {
		return windows, d, nil
	}
	near, far := make([][]linkWindow, len(windows)), make([][]linkWindow, len(windows))
	separate := func(w *linkWindow) float64 { return w.distance }
	var slow, receive, send []float64
	for i, bytes := range linkSizes() {
		near[i], far[i] = byDistance(d, windows[i], separate)
		if len(near[i]) < fewestApart || len(far[i]) < fewestApart {
			continue
		}
		more := func(of func(linkWindow) float64) float64 {
			return max(0, medianBy(far[i], of)-medianBy(near[i], of)) / float64(bytes)
		}
		seconds := func(w linkWindow) float64 { return w.seconds }
		slow = append(slow, medianBy(far[i], seconds)/medianBy(near[i], seconds))
		if bytes >= largeMessage {
			receive = append(receive, more(func(w linkWindow) float64 { return w.read }))
			send = append(send, more(func(w linkWindow) float64 { return w.send }))
		}
	}
	if len(slow) == 0 || len(send) == 0 {
		return windows, d, nil
	}
	out := &profile.LinkFar{Slowdown: max(1, profile.MedianOf(slow).Value), Receive: profile.MedianOf(receive).Value,
		Send: profile.MedianOf(send).Value}
	for i := range near {
		if len(near[i]) >= fewestApart {
			continue
		}
		near[i] = slices.Clone(far[i])
		for j := range near[i] {
			near[i][j].seconds /= out.Slowdown
			near[i][j].corrected = out.Slowdown
		}
		if len(near[i]) == 0 {
			near[i] = windows[i]
		}
	}
	return near, d, out
}

// correctionOf returns the slowdown that [nearWindows] removed from windows of one size; 0 for none.
func correctionOf(windows []linkWindow) float64 {
	if len(windows) == 0 {
		return 0
	}
	return windows[0].corrected
}

const (
	fewestApart  = 3   // minimum number of windows for the cost of a message size at one distance
	largeMessage = 512 // bytes; in larger messages, the fixed cost is insignificant
)

func medianBy(windows []linkWindow, of func(linkWindow) float64) float64 {
	list := make([]float64, len(windows))
	for i, w := range windows {
		list[i] = of(w)
	}
	return profile.MedianOf(list).Value
}
