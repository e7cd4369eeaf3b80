package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/copies"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/result"
)

// The remedies for disturbances.
const (
	quietRun     = "run again on a quiet machine"
	quietProfile = "calibrate again on a quiet machine"
)

// severity is the severity of a finding.
type severity int

const (
	problem severity = iota // the answer or the run is unreliable
	caution                 // the result may be wrong
	hint                    // a possible improvement
)

func (s severity) String() string { return [...]string{"problem", "caution", "hint"}[s] }

// finding is a fact about a result, with a recommended action and its gain.
type finding struct {
	severity       severity
	id             fault.ID
	seen, do, gain string
	brings         float64 // gain as a fraction of the throughput; 0 if unknown
	limits         bool    // the finding is the bottleneck
	first          bool    // the finding precedes all others
	stated         bool    // the first line of a short answer contains seen
}

// findings collects the findings of a result.
type findings struct{ list []finding }

func (f *findings) add(id fault.ID, s severity, seen, do, gain string) {
	f.list = append(f.list, finding{severity: s, id: id, seen: seen, do: do, gain: gain})
}

// bringing sets the gain of the last finding, as a fraction of the throughput.
func (f *findings) bringing(gain result.Number) { f.list[len(f.list)-1].brings = float64(gain) }

// Thresholds of findings.
const (
	nearLimit    = 0.9     // minimum utilization of a resource or link close to its limit
	littleUsed   = 0.5     // maximum utilization of a resource with capacity left
	assumedGain  = 0.01    // minimum relative throughput gain from a 10 % higher assumed figure
	oversized    = 8       // multiple of the recommended size above which a buffer is too large
	oversizedMin = 1 << 16 // minimum excess over the recommended size, in bytes
	// Recommended buffers may be too large if they need more than largeTimes times the least memory, and at least
	// largeMin. Buffers below largeMin fit into a core's private cache.
	largeTimes = 5
	largeMin   = 1 << 20 // bytes
)

// found returns the findings of a result by severity, in the order of the page and the terminal.
func found(r *result.Result) []finding {
	f := &findings{}
	f.ranking(r.Validation)
	f.race(r.Validation)
	f.figures(r)
	if len(r.Candidates) > 0 {
		c := &r.Candidates[0]
		f.tooShort(r.Search)
		f.unfinished(r)
		f.bottleneck(c)
		f.contention(c)
		f.links(c)
		f.imbalance(r.Search, c)
		f.assumed(c)
		f.finite(c)
		f.given(c)
		f.largeBuffers(r, c)
		f.ties(r)
		f.robust(r)
	}
	if r.Measured != nil {
		f.run(r)
	}
	return inOrder(f.list)
}

// Encoder returns a function that writes a result as JSON, with its findings.
func Encoder(r *result.Result) func(io.Writer) error {
	x := *r
	x.Findings, x.Sure = nil, sureNotes(r)
	for _, f := range found(r) {
		x.Findings = append(x.Findings, result.Finding{ID: f.id, Severity: f.severity.String(), Text: f.seen, Do: f.do,
			Gain: f.gain})
	}
	return x.Encode
}

// interruptedSearch is the status of an interrupted search.
const interruptedSearch = "interrupted"

// tooShort warns that a search had too little time. For an interrupted search, unfinished reports the
// command that continues it.
func (f *findings) tooShort(s *result.Search) {
	if s == nil || !s.TooShort || s.Status == interruptedSearch {
		return
	}
	f.add(faults.SearchTooShort, problem, scoredWords(s)+", too few for a reliable result", "search with a longer "+
		"--time", "")
	f.list[len(f.list)-1].first = true
}

// unfinished warns that a search was interrupted or tried no copies of kernels.
func (f *findings) unfinished(r *result.Result) {
	s := r.Search
	if s == nil {
		return
	}
	stopped := s.Status == interruptedSearch || strings.HasSuffix(s.CopiesLeft, interruptedSearch)
	if !stopped && !strings.HasPrefix(s.CopiesLeft, copies.NotTried) {
		return
	}
	do := "search with a longer --time"
	if s.Checkpoint != "" {
		do = "continue with: " + checkpoint.ResumeLine(r.Command)
	} else if stopped {
		do = "search again: no checkpoint was written"
	}
	f.add(faults.SearchUnfinished, problem, cmp.Or(s.CopiesLeft, "the search was interrupted"), do, "")
	f.list[len(f.list)-1].first = true
}

// Continues reports whether the findings of a search contain the command that continues it.
func Continues(r *result.Result) bool {
	return len(r.Candidates) > 0 && r.Search.Checkpoint != "" &&
		slices.ContainsFunc(found(r), func(x finding) bool { return x.id == faults.SearchUnfinished })
}

// guidance returns the table of findings; nil if there are none.
func guidance(r *result.Result) *Table {
	const width = 60
	t := &Table{ID: "findings", Title: "Findings and actions, the most important first", Columns: []Column{
		name("severity"), name("finding").fold(width), name("action").fold(width),
		name("expected gain").fold(width / 2)}}
	for _, x := range found(r) {
		row := t.add(text(x.severity.String()), text(x.seen), text(x.do), text(cmp.Or(x.gain, "-")))
		row.Hot = x.severity == problem
	}
	return t.orNil()
}

// figures adds findings about unreliable figures.
func (f *findings) figures(r *result.Result) {
	if len(r.Mismatched) > 0 {
		s, seen := caution, ": its output there differs from the output on a core, so xopt does not place it there"
		if r.MismatchAllowed {
			s, seen = problem, ": its output there differs from the output on a core"
		}
		f.add(fault.KernelMismatched, s, where(r.Mismatched)+seen+": "+reasons(r.Mismatched), "correct the kernel, "+
			"then calibrate again", "")
	}
	if len(r.Stale) > 0 {
		f.add(faults.StaleFigures, problem, "figures of "+where(r.Stale)+" are stale: "+reasons(r.Stale),
			"measure them again with: "+r.Remeasure, "figures of the current sources")
	}
	if len(r.Candidates) > 0 && sharingTestError(&r.Candidates[0]) > testFailed {
		f.add(faults.SharingTestFailed, caution, sharingDoubt(&r.Candidates[0]), quietProfile+" with --all, or "+
			"check the prediction with xopt validate", "")
	}
	if r.ProfileDisturbed != "" && predicts(r) {
		f.add(faults.ProfileDisturbed, caution, "the machine was disturbed during calibration",
			quietProfile, "narrower intervals")
	}
}

// bottleneck adds a finding about the bottleneck and the change with the largest gain.
func (f *findings) bottleneck(c *result.Candidate) {
	if len(c.Bottlenecks) == 0 {
		return
	}
	seen := fmt.Sprintf("%s %s the throughput to %s", LimitNames(c.Bottlenecks, 0), limitVerb(c.Bottlenecks, 0),
		units.Rate(float64(c.Unlimited())))
	if more, initial := hastened(c); more != "" {
		advice := "make the cycle's kernels faster"
		if initial {
			advice = "add initial elements to the cycle, or make its kernels faster"
		}
		f.add(faults.CycleLimits, hint, seen, advice, more)
		f.list[len(f.list)-1].limits = true
		return
	}
	what, brings := quickest(c)
	if what == "" && c.Copies == nil {
		return
	}
	gain := units.Change(float64(brings)) + " throughput if it is 10 % faster"
	if b := quickestBlock(c, brings); b != nil {
		what = allInstances(b)
		gain = units.Change(float64(b.TenPercent)) + " throughput if they are 10 % faster"
	} else if maximum := nextGain(c); maximum >= brings*(1-minGain) {
		gain += fmt.Sprintf("; at most %s, limited by %s", units.Change(float64(maximum)),
			LimitNames(c.Bottlenecks, 1))
	}
	do := "make " + what + " faster, or move work away from it"
	if brings < zeroGain && len(c.Bottlenecks[0].Limits) > 1 {
		do = "make kernels on all of " + LimitNames(c.Bottlenecks, 0) + " faster: a faster kernel on only one of " +
			"these limits has no effect"
		gain = ""
	}
	if x := c.Copies; x != nil {
		brings = x.Throughput/c.Unlimited() - 1
		do, gain = copyWords(x), units.Change(float64(brings))+" throughput (predicted)"
	}
	f.add(faults.Bottleneck, hint, seen, do, gain)
	f.bringing(brings)
	f.list[len(f.list)-1].limits = true
}

// zeroGain is the smallest relative gain that is not printed as 0 %.
const zeroGain = 0.0005

// copyWords recommends the map statement that copies a stateless kernel.
func copyWords(x *result.CopyAdvice) string {
	return fmt.Sprintf("copy the stateless kernel %[1]s with map { %[1]s } to %[2]s; (xopt search finds the best "+
		"copies)", x.Kernel, strings.Join(x.Resources, " & "))
}

// farOff is the multiple of the throughput above which xopt does not report the next limit.
const farOff = 10

// nextGain returns the gain from the removal of the first bottleneck, which the next bottleneck limits. It returns 0 if
// there is no next bottleneck. A faster kernel may gain more, because it can also unload the next bottleneck.
func nextGain(c *result.Candidate) result.Number {
	if len(c.Bottlenecks) < 2 || c.Bottlenecks[1].Throughput >= farOff*c.Unlimited() {
		return 0
	}
	return c.Bottlenecks[1].Throughput/c.Unlimited() - 1
}

// quickestBlock returns the block with the largest gain if all its instances become 10 % faster. It returns nil if no
// gain exceeds brings.
func quickestBlock(c *result.Candidate, brings result.Number) *result.Block {
	var best *result.Block
	for i := range c.Blocks {
		if x := &c.Blocks[i]; x.Instances > 1 && x.TenPercent > brings*(1+result.TieTolerance) {
			best, brings = x, x.TenPercent
		}
	}
	return best
}

// allInstances names the kernels of a block on a platform.
func allInstances(b *result.Block) string {
	if b.Instances == 2 {
		return fmt.Sprintf("both kernels of block %s on %s", b.Name, b.Platform)
	}
	return fmt.Sprintf("all %d kernels of block %s on %s", b.Instances, b.Name, b.Platform)
}

// limitVerb returns "limits" or "limit" for the members of a step.
func limitVerb(steps []result.Step, i int) string {
	if len(steps[i].Limits) > 1 {
		return "limit"
	}
	return "limits"
}

// quickest returns the kernel, resource or link with the largest gain from 10 % more speed.
func quickest(c *result.Candidate) (what string, brings result.Number) {
	brings = minGain
	use := func(name string, gain result.Number) {
		if gain > brings*(1+result.TieTolerance) {
			what, brings = name, gain
		}
	}
	for i := range c.Stations {
		if x := &c.Stations[i]; !x.IsLink {
			use(x.Name+" on "+x.On, x.TenPercent)
		}
	}
	for i := range c.Links {
		use(c.Links[i].Name, c.Links[i].TenPercent)
	}
	for i := range c.Resources {
		use(c.Resources[i].Name, c.Resources[i].TenPercent)
	}
	return what, brings
}

// links adds findings about the links that would limit the throughput after the removal of the bottleneck. A faster
// link has no gain while the bottleneck remains, so these findings follow the finding about the bottleneck.
func (f *findings) links(c *result.Candidate) {
	for i := range c.Links {
		if x := &c.Links[i]; float64(x.Utilization) >= nearLimit && x.TenPercent < minGain && !isBottleneck(c, x.Name) {
			f.add(faults.LinkNearLimit, hint, fmt.Sprintf("%s is %s busy, close to its limit", x.Name,
				units.Percent(float64(x.Utilization))),
				"reduce the data on it, or plan for more bandwidth", "no gain before the bottleneck is removed")
		}
	}
}

// isBottleneck reports whether a link is among the limits of a candidate. It does not use gains, which are 0 if they
// were not computed.
func isBottleneck(c *result.Candidate, link string) bool {
	return len(c.Bottlenecks) > 0 && slices.ContainsFunc(c.Bottlenecks[0].Limits, func(l result.Limit) bool {
		return l.Name == link
	})
}

// imbalance adds a finding about resources with capacity left beside a fully utilized resource, unless the mapping is
// proven optimal.
func (f *findings) imbalance(s *result.Search, c *result.Candidate) {
	if s != nil && s.Optimal {
		return
	}
	var full *result.Share
	var idle []string
	for i := range c.Resources {
		x := &c.Resources[i]
		switch {
		case x.Sharing == "area":
		case float64(x.Utilization) >= nearLimit && (full == nil || x.Utilization > full.Utilization):
			full = x
		case float64(x.Utilization) <= littleUsed:
			idle = append(idle, fmt.Sprintf("%s (%s busy)", x.Name, units.Percent(float64(x.Utilization))))
		}
	}
	if full == nil || len(idle) == 0 {
		return
	}
	seen := fmt.Sprintf("%s is %s busy, but these resources have capacity left: %s", full.Name,
		units.Percent(float64(full.Utilization)), strings.Join(first(idle, maxNamed), ", "))
	do := "move a kernel to another resource (xopt search may find a better mapping)"
	at := slices.IndexFunc(c.Stations, func(x result.Station) bool { return !x.IsLink && x.On == full.Name })
	switch {
	case c.Copies != nil:
		do = copyWords(c.Copies)
	case full.Members == 1 && at >= 0 && declaredEdge(c.Stations[at].Name) != c.Stations[at].Name:
		do = "add a copy of " + declaredEdge(c.Stations[at].Name) + " to a resource with capacity left (xopt search " +
			"finds the best copies)"
	case full.Members == 1:
		do = "only one kernel runs on " + full.Name + ": split the kernel or make it faster"
	case s != nil:
		do = "this search found no better place for the kernels of " + full.Name + ": search longer (--time), or " +
			"split a kernel"
	}
	f.add(faults.ResourcesIdle, hint, seen, do, "")
}

// first returns the first n items, and the number of further items in words.
func first(list []string, n int) []string { return units.First(list, n, "%d more") }

// assumed adds findings about assumed figures that the throughput depends on.
func (f *findings) assumed(c *result.Candidate) {
	for i := range c.Stations {
		if x := &c.Stations[i]; !x.IsLink && x.Origin == "assumed" && float64(x.TenPercent) >= assumedGain {
			f.add(faults.RateAssumed, caution, fmt.Sprintf("the throughput depends on the assumed service rate of "+
				"%s on %s", x.Name, x.On), "measure it with xopt calibrate",
				units.Change(float64(x.TenPercent))+" if it is 10 % higher")
			f.bringing(x.TenPercent)
		}
	}
	for i := range c.Links {
		if x := &c.Links[i]; x.Origin == "assumed" && float64(x.TenPercent) >= assumedGain {
			f.add(faults.BandwidthAssumed, caution, fmt.Sprintf("the throughput depends on the assumed bandwidth of %s",
				x.Name), "measure the bandwidth, and state it with its source",
				units.Change(float64(x.TenPercent))+" if it is 10 % higher")
			f.bringing(x.TenPercent)
		}
	}
}

// large reports whether the buffers of a mapping from a search may be much larger than required.
func large(r *result.Result, c *result.Candidate) bool {
	all, minimum := c.BufferBytes(), c.MinBytes()
	return r.Search != nil && c.File != "" && minimum > 0 && all >= largeMin && all > largeTimes*minimum
}

// largeBuffers adds a finding for a search whose recommended buffers may be much larger than required.
func (f *findings) largeBuffers(r *result.Result, c *result.Candidate) {
	if !large(r, c) {
		return
	}
	all, minimum := c.BufferBytes(), c.MinBytes()
	f.add(faults.BuffersLarge, hint, fmt.Sprintf("the recommended buffers use %s, but the mapping also runs with %s",
		units.Size(all), units.Size(minimum)), "run xopt buffers with "+c.File+": it searches for smaller buffers "+
		"that keep the throughput", "at most "+units.Size(all-minimum)+" less memory")
}

// finite adds a finding about the throughput loss from finite buffers.
func (f *findings) finite(c *result.Candidate) {
	w := c.WithBuffers
	if w == nil {
		return
	}
	if why := w.WhyStopped(); why != "" {
		f.add(mapperfaults.MappingStops, problem, why, "enlarge the full buffers of that cycle", "the mapping runs")
		return
	}
	if !c.Limited() {
		return
	}
	seen := fmt.Sprintf("the %s buffers cost %s of the throughput", w.Sizes,
		units.Percent(float64(1-w.Throughput/c.Unlimited())))
	if e := w.Worst(); e != nil {
		f.add(faults.BuffersCost, caution, fmt.Sprintf("%s; the writer of %s waits for %s of the time", seen, e.Edge,
			units.Percent(float64(e.Blocked))), "enlarge "+declaredEdge(e.Edge),
			fmt.Sprintf("%s if it is %d times as large", units.Change(float64(e.Enlarged/w.Throughput-1)),
				result.EnlargedTimes))
		f.bringing(e.Enlarged/w.Throughput - 1)
		return
	}
	if gain := w.Gain(); gain > 0 {
		f.add(faults.BuffersCost, caution, seen, "run xopt buffers to find the gain from more memory",
			fmt.Sprintf("%s with buffers %d times as large", units.Change(float64(gain)), result.EnlargedTimes))
		f.bringing(gain)
		return
	}
	if w.Large > 0 {
		seen = fmt.Sprintf("the throughput simulated with the %s buffers is %s below the flow bound", w.Sizes,
			units.Percent(float64(1-w.Throughput/c.Unlimited())))
		f.add(faults.BuffersCost, hint, seen, "keep these sizes: larger buffers bring no gain", "")
	}
}

// given adds findings about user-defined buffer sizes far above the recommended sizes.
func (f *findings) given(c *result.Candidate) {
	for i := range c.Queues {
		q := &c.Queues[i]
		if q.Given == nil || q.Recommended == nil {
			continue
		}
		given, enough := float64(q.Given.Elements*q.ElementBytes), float64(q.Recommended.Bytes)
		if given > oversized*enough && given-enough >= oversizedMin {
			f.add(faults.BufferTooLarge, hint, fmt.Sprintf("the buffer of %s is %s, but the recommended size is %s "+
				"(%s)",
				q.Edge, units.Size(given), units.Size(enough), q.Recommended.Level), fmt.Sprintf("buffer { %s } = "+
				"%.0f;", declaredEdge(q.Edge), float64(q.Recommended.Elements)), units.Size(given-enough)+" less "+
				"memory, and less latency")
		}
	}
}
