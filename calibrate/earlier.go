package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// betterKernel returns the more certain of two measurements of a kernel with the same hash. It prefers undisturbed
// figures, and then figures with narrower intervals. It chooses each additional cost separately. kept reports that the
// rate is from the earlier measurement. old may be nil.
func betterKernel(now profile.Kernel, old *profile.Kernel) (_ profile.Kernel, kept bool) {
	if old == nil {
		return now, false
	}
	best, other := now, *old
	kept = now.Doubt != "" && wider(now.ServiceRate, old.ServiceRate)
	if now.IsDisturbed() != old.IsDisturbed() {
		kept = now.IsDisturbed()
	}
	if kept {
		best, other = other, best
		best.Source = now.Source
	}
	same := best.IsDisturbed() == other.IsDisturbed()
	adopt := func(to, far **profile.Figure, from, fromFar *profile.Figure) {
		if *to == nil || from != nil && same && wider(*to, from) {
			*to = from
			if far != nil {
				*far = fromFar
			}
		}
	}
	adopt(&best.CoLocationCost, nil, other.CoLocationCost, nil)
	adopt(&best.SwitchCost, nil, other.SwitchCost, nil)
	adopt(&best.ReceiveCost, &best.ReceiveFar, other.ReceiveCost, other.ReceiveFar)
	adopt(&best.SendCost, &best.SendFar, other.SendCost, other.SendFar)
	widenTo(&best, &other)
	if best.Times == nil && other.Times != nil {
		best.Times, best.Untimed = other.Times, ""
	}
	return best, kept
}

// widenTo widens the interval of a service rate so that it contains the rate of another calibration of the same kernel.
// It marks the kernel as doubtful, so that the next calibration measures it again. It does nothing if one interval
// contains the other rate, or if only the other measurement was disturbed.
func widenTo(best, other *profile.Kernel) {
	f, x := best.ServiceRate, other.ServiceRate
	low, high, ok := f.Interval()
	otherLow, otherHigh, isKnown := x.Interval()
	if !ok || !isKnown || f.Exact || x.Value >= low && x.Value <= high || f.Value >= otherLow && f.Value <= otherHigh ||
		other.IsDisturbed() && !best.IsDisturbed() {
		return
	}
	wide := *f
	wide.CI95 = [2]float64{math.Min(low, x.Value), math.Max(high, x.Value)}
	best.ServiceRate = &wide
	if !strings.Contains(best.Doubt, calibrationsDiffer) {
		why := fmt.Sprintf("%s by %s, and the interval contains both rates", calibrationsDiffer,
			units.Percent(math.Abs(x.Value/f.Value-1)))
		best.Doubt = strings.TrimPrefix(best.Doubt+"; "+why, "; ")
	}
}

// calibrationsDiffer is the start of the reason for doubt if the rates of two calibrations differ.
const calibrationsDiffer = "two calibrations differ"

// wider reports whether a figure has a wider 95 % interval than another figure of the same quantity. A figure without
// an interval counts as wider than a figure with an interval. If both have no interval, the figure with fewer windows
// counts as wider. Bounds have no interval.
func wider(x, than *profile.Figure) bool {
	width := func(f *profile.Figure) float64 {
		if f != nil && f.Measured != nil {
			return 2 * normal95 * f.Measured.Error
		}
		low, high, ok := f.Interval()
		if !ok {
			return math.Inf(1)
		}
		return high - low
	}
	n := func(f *profile.Figure) int {
		if f == nil {
			return 0
		}
		return f.N
	}
	return cmp.Or(cmp.Compare(width(x), width(than)), cmp.Compare(n(than), n(x))) > 0
}

// moreRuns returns the measurement of the reference load with more runs, because few runs do not show the repeatability
// of the machine.
func moreRuns(now, old *profile.Reference) *profile.Reference {
	if now == nil || old != nil && old.Runs > now.Runs {
		return old
	}
	return now
}

// uncertainty returns the relative error of message times over a link. It is the residual of the fit or, if larger,
// half of the widest interval of a fitted sample.
func uncertainty(l *profile.Link) float64 {
	part := l.Residual
	for i := range l.Samples {
		if s := &l.Samples[i]; !s.LeftOut && s.Seconds > 0 {
			part = max(part, (s.CI95[1]-s.CI95[0])/2/s.Seconds)
		}
	}
	if len(l.Samples) == 0 {
		part, _ = l.Bandwidth.Precision()
	}
	return part
}

// lessCertainSharing reports whether one test of core sharing is less certain than another. The criteria are, in this
// order: a disturbed machine, an undecided sharing rule, and a wider interval of the switch cost.
func lessCertainSharing(x, than *profile.Sharing) bool {
	flag := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	crowded := cmp.Compare(flag(profile.IsCrowded(x.Others)), flag(profile.IsCrowded(than.Others)))
	open := func(s *profile.Sharing) int {
		return flag(s.Test != profile.SharingConfirmed && s.Test != profile.SharingExcluded)
	}
	return cmp.Or(crowded, cmp.Compare(open(x), open(than)), flag(wider(x.SwitchCost, than.SwitchCost))) > 0
}

// keepMachine replaces figures of the machine by more certain figures of an earlier profile, and returns the names of
// the replaced figures.
func keepMachine(to, earlier *profile.Profile) (kept []string) {
	for i := range to.Links {
		l := &to.Links[i]
		at := slices.IndexFunc(earlier.Links, func(old profile.Link) bool { return sameLink(l, &old) })
		if at < 0 {
			continue
		}
		if was, is := uncertainty(&earlier.Links[at]), uncertainty(l); was < is {
			kept = append(kept, fmt.Sprintf("%s (earlier ± %.3g %%, now ± %.3g %%)", linkName(l), 100*was, 100*is))
			*l = earlier.Links[at]
		}
	}
	for i := range to.Sharing {
		s := &to.Sharing[i]
		at := slices.IndexFunc(earlier.Sharing, func(old profile.Sharing) bool { return sameWay(s, &old) })
		if at >= 0 && lessCertainSharing(s, &earlier.Sharing[at]) {
			kept = append(kept, sharingPart+" of "+s.Platform)
			*s = earlier.Sharing[at]
		}
	}
	now, old := to.Copies, earlier.Copies
	if now != nil && old != nil && wider(&now.Divide, &old.Divide) && wider(&now.Collect, &old.Collect) {
		kept = append(kept, copiesPart)
		to.Copies = old
	}
	return kept
}

// addMachine adds the measurements of the machine that a profile lacks from an earlier profile of the same machine.
func addMachine(to, earlier *profile.Profile) {
	for i := range earlier.Links {
		old := &earlier.Links[i]
		if !slices.ContainsFunc(to.Links, func(l profile.Link) bool { return sameLink(&l, old) }) {
			to.Links = append(to.Links, *old)
		}
	}
	for i := range earlier.Sharing {
		old := &earlier.Sharing[i]
		if !slices.ContainsFunc(to.Sharing, func(s profile.Sharing) bool { return sameWay(&s, old) }) {
			to.Sharing = append(to.Sharing, *old)
		}
	}
	if to.Copies == nil {
		to.Copies = earlier.Copies
	}
}

// unreached returns the kernels of an earlier profile that are still in the application and have no new figures.
func unreached(p *xlang.Program, earlier *profile.Profile, now []profile.Kernel) []profile.Kernel {
	if earlier == nil {
		return nil
	}
	var list []profile.Kernel
	for _, k := range earlier.Kernels {
		there := slices.ContainsFunc(p.Kernels, func(x xlang.Kernel) bool { return x.Name == k.Instance })
		isKnown := slices.ContainsFunc(now, func(x profile.Kernel) bool {
			return x.Instance == k.Instance && x.Platform == k.Platform && x.Resource == k.Resource
		})
		if there && !isKnown {
			list = append(list, k)
		}
	}
	return list
}

// incomplete returns a text with the omitted parts of the calibration and the reason.
func (r *Report) incomplete() string {
	why := "time limit reached"
	if r.Interrupted {
		why = "interrupted"
	}
	if len(r.Missing) == 0 {
		return why
	}
	return fmt.Sprintf("%s; not measured: %s", why, strings.Join(r.Missing, ", "))
}
