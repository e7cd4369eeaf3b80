package design

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
)

// figures fills in the known figures of every kernel on every resource.
func (b *builder) figures() {
	b.statements()
	resources := b.prog.Resources
	b.p.Figures = make([][]flow.Figures, len(b.prog.Kernels))
	b.times = make([][]figure, len(b.prog.Kernels))
	b.gainsStated = make([][]figure, len(b.prog.Kernels))
	chains := make([][]string, len(resources))
	for r := range resources {
		chains[r] = b.prog.Ancestors(resources[r].Platform)
	}
	implemented := make(map[string][]string) // block -> platforms
	for _, i := range b.prog.Impls {
		implemented[i.Block] = append(implemented[i.Block], i.Platform)
	}
	for k := range b.prog.Kernels {
		if b.ctx.Err() != nil {
			return
		}
		b.p.Figures[k] = make([]flow.Figures, len(resources))
		available := false
		for r := range resources {
			fig := &b.p.Figures[k][r]
			fig.Available = slices.ContainsFunc(implemented[b.prog.Kernels[k].Block], func(p string) bool {
				return slices.Contains(chains[r], p)
			}) || b.implied(k, r, chains[r])
			available = available || fig.Available
			if fig.Available {
				b.figuresOn(k, r, chains[r])
			}
		}
		b.lacking[k].Implementation = !available && len(resources) > 0
	}
	b.unusedAreas()
	b.noteDropped()
}

// implied reports whether a figure that names the kernel and the resource implies an implementation. An override that
// names no resource does not imply an implementation.
func (b *builder) implied(k, r int, chain []string) bool {
	return slices.ContainsFunc(b.byKernel[k], func(i int) bool {
		s := &b.stated[i]
		_, applies := b.rankFor(s, r, chain)
		return applies && (s.onPlatform != "" || s.resources != nil)
	})
}

func (b *builder) figuresOn(k, r int, chain []string) {
	fig := &b.p.Figures[k][r]
	measured := b.measured(k, r, chain)
	rateMeasured := b.serviceRate(k, r, chain, measured)
	fig.ServiceSCV = -1
	if scv := b.best(k, r, chain, "scv", func(s *statement) figure { return s.scv }); scv.set {
		fig.ServiceSCV = scv.value
	} else if measured != nil {
		fig.ServiceSCV = valueOr(measured.ServiceSCV, -1)
	}
	b.areaOn(k, r, chain, measured)
	gain := b.best(k, r, chain, "gain", func(s *statement) figure { return s.gain })
	if measured == nil {
		b.put(b.gainsStated, k, r, gain)
		return
	}
	s := standing{mismatch: measured.Mismatch}
	s.stale, s.unknown = b.opt.Profile.check(measured, b.prog.Kernels[k].Declared(), b.prog.Resources[r].Name)
	trusted := s.mismatch == "" || s.stale != "" || b.opt.AllowMismatch
	if x := valueOr(measured.Gain, -1); !gain.set && x >= 0 && trusted {
		gain = b.fromProfile(x, way{measured.How, measured.Elsewhere})
	}
	b.put(b.gainsStated, k, r, gain)
	b.note(k, r, s, rateMeasured, gain.set && gain.rank == rankProfile)
}

// put stores a stated figure of a kernel on a resource. A kernel without stated figures has no row in the table.
func (b *builder) put(table [][]figure, k, r int, f figure) {
	if !f.set {
		return
	}
	if table[k] == nil {
		table[k] = make([]figure, len(b.prog.Resources))
	}
	table[k][r] = f
}

// measured returns the profile's figures of a kernel on a resource; nil if there are none.
func (b *builder) measured(k, r int, chain []string) *profile.Kernel {
	if b.opt.Profile == nil {
		return nil
	}
	kernel := &b.prog.Kernels[k]
	return b.opt.Profile.Kernel(kernel.Declared(), kernel.Block, b.prog.Resources[r].Name, chain)
}

const rankProfile = -1

// serviceRate sets the service rate of a kernel on a resource from the attribute mu or time with the higher rank, or
// else from the profile. It stores a time in b.times until the size of a firing is known. It reports whether it used
// the profile's rate.
func (b *builder) serviceRate(k, r int, chain []string, measured *profile.Kernel) bool {
	fig := &b.p.Figures[k][r]
	mu := b.best(k, r, chain, "mu", func(s *statement) figure { return s.rate })
	t := b.best(k, r, chain, "time", func(s *statement) figure { return s.time })
	switch {
	case mu.set && t.set && mu.rank == t.rank && mu.rank < rankOverride:
		b.stateConflict(mu.pos, t.pos, "service rate (mu or time)", k, r)
	case mu.set && (!t.set || mu.rank > t.rank):
		fig.ServiceRate, fig.Origin, fig.Note = mu.value, mu.origin, mu.note
		if mu.half > 0 {
			fig.Low, fig.High = mu.value-mu.half, mu.value+mu.half
		}
		b.drifted(k, r)
	case t.set:
		b.put(b.times, k, r, t)
		fig.Origin, fig.Note = t.origin, t.note
		b.drifted(k, r)
	case measured != nil && valueOr(measured.ServiceRate, 0) > 0:
		rate := b.fromProfile(measured.ServiceRate.Value, way{measured.How, measured.Elsewhere})
		fig.ServiceRate, fig.Origin, fig.Note = rate.value, rate.origin, rate.note
		if low, high, unusable := measured.ServiceRate.PositiveInterval(); low > 0 && high >= low {
			fig.Low, fig.High, fig.Unusable = low, high, unusable
		}
		if fig.Unusable {
			fig.Note += unusableNote
		}
		if measured.How != "" {
			fig.Note += ": " + measured.How
		}
		if reason := measured.Cycles.Reason(); reason != "" {
			fig.Note += "; " + reason
		}
		if refined := measured.Refinements(); refined != "" {
			fig.Note += ": " + refined
		}
		b.clock(fig, k, r, measured)
		// These figures apply only to the measured rate.
		costs(fig, measured, b.switchesAsMeasured(r))
		fig.Times, fig.Contention, fig.ContentionEnds = measured.Times, contentionOf(measured), contentionEnds(measured)
		b.d.state.kernel(k, r, measured)
		return true
	}
	if measured != nil {
		b.dropCosts(k, measured)
	}
	return false
}

// fromProfile returns a kernel's figure from the profile, with its origin. A figure from a simulation of hardware has
// the origin simulated. A figure from another machine cites its trace, and its origin may be simulated, published or
// assumed.
func (b *builder) fromProfile(value float64, how way) figure {
	f := figure{value: value, set: true, origin: flow.Measured, note: b.measuredNote(), rank: rankProfile}
	switch {
	case how.simulated != "":
		f.origin, f.note = flow.Simulated, b.simulatedNote()
	case how.elsewhere != "":
		f.origin, f.note = origin(how.elsewhere), how.elsewhere
	}
	return f
}

// unusableNote extends the note of a figure whose interval is [flow.Figures].Unusable.
const unusableNote = "; the measured interval is too wide to use, so an assumed interval replaces it"

func (b *builder) areaOn(k, r int, chain []string, measured *profile.Kernel) {
	fig := &b.p.Figures[k][r]
	any := false
	for kind := range fig.Area {
		a := b.best(k, r, chain, flow.AreaKind(kind), func(s *statement) figure { return s.area[kind] })
		if a.set {
			fig.Area[kind] = a.value
			any = true
		}
	}
	if !any && measured != nil && measured.Area != nil {
		fig.Area, any = areaOf(measured.Area), true
	}
	res := &b.p.Architecture.Resources[r]
	if any || res.Sharing.Rule != flow.AreaOnly {
		return
	}
	for kind := range res.Area {
		if !math.IsInf(res.Area[kind], 1) {
			b.noArea = append(b.noArea, pair{k, r})
			return
		}
	}
}

// pair is a kernel on a resource.
type pair struct{ kernel, resource int }

// These constants are the permitted relative differences between the gains of a kernel on different resources.
const (
	// statedGainTolerance applies to stated gains, which differ only by rounding.
	statedGainTolerance = 1e-6
	// measuredGainTolerance applies to measured gains.
	measuredGainTolerance = 0.01
)

// gains sets the gain of each kernel to the common value of its figures. The X files override the profile.
func (b *builder) gains() {
	for k := range b.prog.Kernels {
		kernel := &b.p.Application.Kernels[k]
		if b.isSource(k) || b.isSink(k) {
			b.uselessGain(k)
			continue
		}
		var chosen figure
		var at int
		for r, g := range b.gainsStated[k] {
			if g.set && (!chosen.set || class(g.rank) > class(chosen.rank)) {
				chosen, at = g, r
			}
		}
		derived := b.derivedGain(k)
		if !chosen.set && !derived.set {
			b.lacking[k].Gain = true
			continue
		}
		for r, g := range b.gainsStated[k] {
			if g.set && class(g.rank) == class(chosen.rank) {
				b.compareGains(k, chosen, at, g, r)
			}
		}
		if derived.set {
			b.againstEmit(k, derived, chosen)
			kernel.Gain, kernel.GainOrigin, kernel.GainNote = derived.value, derived.origin, derived.note
			continue
		}
		kernel.Gain, kernel.GainOrigin, kernel.GainNote = chosen.value, chosen.origin, chosen.note
		if s := b.standings[pair{k, at}]; chosen.rank == rankProfile && s.stale != "" {
			if b.d.staleGains == nil {
				b.d.staleGains = make(map[int]string)
			}
			b.d.staleGains[k] = s.stale
		}
	}
}

// class returns the class of a rank: 2 for the command line, 1 for the X files, 0 for the profile.
func class(rank int) int {
	switch {
	case rank >= rankOverride:
		return 2
	case rank != rankProfile:
		return 1
	}
	return 0
}

func (b *builder) compareGains(k int, first figure, at int, g figure, r int) {
	difference := relativeDifference(first.value, g.value)
	name, resources := b.prog.Kernels[k].Name, b.prog.Resources
	switch {
	case difference <= statedGainTolerance:
	case g.rank == rankProfile && difference <= measuredGainTolerance:
		b.warnf(faults.GainDiffers, "the measured gain of %s is %.6g on %s and %.6g on %s; xopt uses a gain of "+
			"%.6g (correct the kernel, or state its gain)", name, first.value, resources[at].Name, g.value,
			resources[r].Name, first.value)
	default:
		if b.gainConflicts[g.pos] && g.rank != rankProfile {
			return
		}
		b.gainConflicts[g.pos] = true
		b.diag.errorf(faults.GainConflict, g.pos, "gain of %s differs between resources: %g on %s and %g on %s", name,
			first.value, resources[at].Name, g.value, resources[r].Name).Relate(first.pos, "the gain must be the "+
			"same on all resources: the output of a kernel does not depend on its resource")
	}
}

// relativeDifference returns |x-y| divided by the larger magnitude; 0 for two zeros.
func relativeDifference(x, y float64) float64 {
	largest := math.Max(math.Abs(x), math.Abs(y))
	if largest == 0 || x == y {
		return 0
	}
	return math.Abs(x-y) / largest
}
