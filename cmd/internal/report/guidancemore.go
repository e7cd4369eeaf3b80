package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/cmd/faults"
	runfaults "xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// ties adds a finding about the candidates with equal throughput and their differences.
func (f *findings) ties(r *result.Result) {
	n := tied(r)
	if n < 2 {
		return
	}
	do, gains := "choose by another objective", tieGains(r, n)
	if len(gains) > 0 {
		do = "choose by their differences"
	} else if len(tieUnlikes(r, n)) > 0 {
		do = "keep candidate " + r.Candidates[0].Name + ": none of the compared candidates is better in any objective"
	}
	f.add(faults.CandidatesTie, hint, tieSeen(r, n), do, strings.Join(gains, "; "))
}

// tieSeen describes n tied candidates.
func tieSeen(r *result.Result, n int) string {
	return "candidates " + tieNames(r, n) + " tie in throughput"
}

// robust adds a finding about candidates that the intervals do not distinguish from the first candidate.
func (f *findings) robust(r *result.Result) {
	if isRaced(r) {
		return // the race ranks them
	}
	if n := unranked(r); n > 0 {
		doubt := decides(r, n)
		f.add(faults.NotToldApart, caution, unrankedWords(r, n)+": "+ruleOfOrder,
			"measure "+doubtName(doubt)+" more precisely, or run the candidates with xopt validate",
			fmt.Sprintf("this figure causes %s of the uncertainty of the order", units.Percent(float64(doubt.Part))))
		f.list[len(f.list)-1].stated = true
		return
	}
	rule := ruleOfOrder
	if r.Search != nil && r.Search.Robust != nil {
		rule = "the " + percentile(r.Search.Robust) + " orders them"
	}
	reported := 0
	for i := 1; i < len(r.Candidates) && reported < maxDoubts; i++ {
		x := r.Candidates[i].Robustness
		if x == nil || x.Decide == nil {
			continue
		}
		reported++
		f.add(faults.NotToldApart, caution, fmt.Sprintf("the figures do not distinguish mappings %s and %s: mapping "+
			"%s is better in %s of the draws, mapping %s in %s; %s", r.Candidates[0].Name, r.Candidates[i].Name,
			r.Candidates[0].Name, units.Percent(float64(x.Behind)), r.Candidates[i].Name,
			units.Percent(float64(1-x.Behind-x.Same)), rule),
			"measure "+doubtName(x.Decide)+" more precisely",
			fmt.Sprintf("this figure causes %s of the uncertainty of the order", units.Percent(float64(x.Decide.Part))))
	}
}

// Thresholds of findings about runs.
const (
	waitsLong  = 0.1 // fraction of a run from which a writer's wait for space is reported
	runsFull   = 0.9 // utilization from which a resource, link or kernel counts as the limit of a run
	missedMuch = 0.1 // relative error above which a prediction is reported
)

// run adds findings about the problems and the bottleneck of a run.
func (f *findings) run(r *result.Result) {
	m := r.Measured
	for i := range m.Assertions {
		if a := &m.Assertions[i]; !a.Holds {
			seen := fmt.Sprintf("assertion %s failed in %d of %s", a.Name, a.Failed, count(int(a.Frames), "frame"))
			do := "see the first failure: " + a.Text
			if len(a.Failures) > 0 {
				do = "see the first failure: " + a.Failures[0].Text
			}
			f.add(faults.AssertionFailed, problem, seen, do, "")
		}
	}
	if m.Faulted() {
		f.add(faults.KernelFault, problem, "a fault"+ofKernel(m)+" ended the run", "correct "+cmp.Or(m.FaultOf,
			"the cause: "+firstLine(m.Partial)), "")
		f.list[len(f.list)-1].first = true
	} else if m.Partial != "" {
		f.add(faults.RunCutShort, hint, "the run did not end by itself: "+firstLine(m.Partial), "the figures of "+
			"the run are valid up to its end", "")
	}
	if m.Disturbed != "" {
		f.add(faults.RunDisturbed, caution, "the machine was disturbed during the run", quietRun,
			"")
	}
	longer := "run again with more --elements"
	switch {
	case interrupted(m):
		longer = "run again, and let the run end by itself"
	case m.Partial != "" && !m.Faulted(): // the run ended before it processed all elements
		longer = "run again with a longer --time"
	}
	do := map[fault.ID]string{runfaults.LongRamp: longer,
		runfaults.RunStalled: quietRun}
	for _, w := range r.Warnings {
		if w.ID == runfaults.EmitDiffers {
			seen, _, _ := strings.Cut(w.Text, ": ") // the consequences follow the colon
			f.add(w.ID, caution, seen, "correct the emit, the join or the kernel first", "")
			f.list[len(f.list)-1].first = true
		} else if do[w.ID] != "" {
			f.add(w.ID, caution, w.Text, do[w.ID], "")
		}
	}
	for i, s := range grownStatements(r) {
		f.add(faults.BufferGrew, hint, fmt.Sprintf("the buffer of %s grew in the run", m.Buffers.Last()[i].Edge), s,
			"no growth in the next run")
	}
	f.limited(r)
	f.predicted(r)
	f.delays(r)
}

// Thresholds of [findings.delays].
const (
	muchLater = 10   // minimum ratio to the delay with the recommended sizes
	minDelay  = 1e-3 // minimum delay in seconds
)

// delays adds a finding about queues that are much longer than the recommended sizes. Such queues delay the data,
// although the recommended sizes preserve the throughput. By Little's law, the delay of an edge is its mean queue
// divided by its rate.
func (f *findings) delays(r *result.Result) {
	c, m := r.Prediction, r.Measured
	shared := func(n fault.Note) bool { return n.ID == runfaults.ProcessorsShared }
	if c == nil || m.Faulted() || slices.ContainsFunc(slices.Concat(r.Notes, r.Warnings), shared) {
		return // with shared processors, the recommended buffers may not keep the throughput
	}
	delay, minimum, worst, longest := 0.0, 0.0, "", 0.0
	for i := range c.Queues {
		q := &c.Queues[i]
		at := indexOf(m.Edges, func(e *result.MeasuredEdge) bool { return e.Edge == q.Edge })
		if q.Recommended == nil || q.Given != nil || at < 0 || !(m.Edges[at].ElementRate > 0) {
			continue
		}
		e := &m.Edges[at]
		now := e.MeanOccupancy / e.ElementRate
		if delay, minimum = delay+now, minimum+min(now, float64(q.Recommended.Elements)/e.ElementRate); now > longest {
			worst, longest = q.Edge, now
		}
	}
	if delay < minDelay || delay < muchLater*minimum {
		return
	}
	f.add(faults.BuffersDelay, hint, fmt.Sprintf("data waited for %s in queues (sum of the means of all edges), "+
		"mainly on %s; the recommended buffers keep the throughput, and limit this time to %s", units.Time(delay),
		worst, units.Time(minimum)), "run with --buffers tuned", "")
}

// emitsDiffer reports whether a kernel sent a different number of elements than its emit declares. Buffers that grew or
// filled for this reason must not be enlarged.
func emitsDiffer(r *result.Result) bool {
	return slices.ContainsFunc(r.Warnings, func(w fault.Note) bool { return w.ID == runfaults.EmitDiffers })
}

// limited adds findings about the bottleneck of a run, exceeded bandwidths and waiting writers.
func (f *findings) limited(r *result.Result) {
	m := r.Measured
	for i := range m.Used {
		if x := &m.Used[i]; x.Exceeded > 0 {
			f.add(faults.BandwidthExceeded, caution, exceededWords(x), "correct the bandwidth of "+x.Name+", or "+
				"measure it with xopt calibrate", "")
		}
	}
	for _, x := range limited(m) {
		if x.Utilization < runsFull {
			continue
		}
		seen := fmt.Sprintf("%s was in use for %s of the run and limited the throughput", x.Name,
			units.Percent(x.Utilization))
		switch {
		case x.IsLink:
			f.add(faults.LimitedRun, hint, seen, "reduce the data on it, or plan for more bandwidth", "")
		case r.Prediction != nil && r.Prediction.Copies != nil:
			f.add(faults.LimitedRun, hint, seen, copyWords(r.Prediction.Copies), units.Change(float64(
				r.Prediction.Copies.Throughput/r.Prediction.Unlimited()-1))+" throughput (predicted)")
		case x.Sharers > 1 && x.Busiest != "":
			f.add(faults.LimitedRun, hint, seen, "move work away from it, or make one of its kernels faster, "+
				"starting with "+x.Busiest, "")
		default:
			f.add(faults.LimitedRun, hint, seen, "make "+cmp.Or(x.Busiest, "its kernel")+" faster, or split it", "")
		}
	}
	if !m.Inconclusive() && !emitsDiffer(r) { // writers wait for a kernel that does not finish
		f.waited(r)
	}
}

// alwaysInUse reports whether a resource or link worked during the complete run. The queues before this resource or
// link then fill buffers of any size.
func alwaysInUse(m *result.Measured) bool {
	list := limited(m)
	return len(list) > 0 && list[0].Utilization >= runsFull
}

// waited adds a finding about the writer that waited longest while its reader was idle.
func (f *findings) waited(r *result.Result) {
	m := r.Measured
	if _, _, reported := m.Rates(); !reported || alwaysInUse(m) || gainsNothing(r.Prediction) {
		return // the run shows too little, or writers wait with any buffer size
	}
	worst := -1
	for i := range m.Edges {
		if m.Edges[i].Utilization >= runsFull {
			continue // its reader is the bottleneck, so its writer waits with any buffer size
		}
		if worst < 0 || m.Edges[i].Backpressure > m.Edges[worst].Backpressure {
			worst = i
		}
	}
	if worst >= 0 && m.Edges[worst].Backpressure >= waitsLong {
		e := &m.Edges[worst]
		do := "enlarge its buffer: the writer waited while the reader was idle"
		if between := atCopies(r, e.Edge); between != "" {
			do = between
		}
		if m.Disturbed != "" {
			do = quietRun + " before you change its buffer: its reader may have waited for a processor"
			if m.Simulated != "" {
				do = quietRun + " before you change its buffer: the times of kernels on cores are disturbed"
			}
		}
		f.add(faults.WriterWaited, hint, fmt.Sprintf("the writer of %s waited for space for %s of the run", e.Edge,
			units.Percent(e.Backpressure)), do, "")
	}
}

// gainsNothing reports whether the simulation of a prediction found no gain from larger buffers.
func gainsNothing(c *result.Candidate) bool {
	return c != nil && c.WithBuffers != nil && c.WithBuffers.Large > 0 && c.WithBuffers.Gain() == 0
}

// predicted adds findings about differences between a run and its prediction.
func (f *findings) predicted(r *result.Result) {
	c, m := r.Prediction, r.Measured
	if c == nil {
		return
	}
	if off := predict.Compare(c, m)[0]; off.Measured > 0 && !off.Short && (off.Error() > missedMuch ||
		off.Error() < -missedMuch) {
		do := "run xopt validate to divide the error into its causes"
		if m.Disturbed != "" {
			do = quietRun + ": the machine was disturbed"
		} else if d := predict.Deviates(c, m); d != nil {
			do = "calibrate " + d.Kernel + " again (its service time deviates most); " + do
		}
		if x, ok := off.Corrected(); ok && math.Abs(x.Error()) <= missedMuch {
			do = quietRun + ": the slowdown of this machine explains the error"
		}
		f.add(faults.PredictionMissed, caution, fmt.Sprintf("the predicted throughput, %s, is %s",
			units.Rate(float64(c.Throughput)), off.Off()), do, "")
	}
	recommended := make(map[string]*result.Recommendation)
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Recommended != nil {
			recommended[q.Edge] = q.Recommended
		}
	}
	var above []string
	fills := alwaysInUse(m)
	for i := range m.Edges {
		e := &m.Edges[i]
		full := fills && e.MaxElements() >= uint64(e.Capacity)
		if x := recommended[e.Edge]; x != nil && e.Utilization < runsFull && !full &&
			float64(e.MaxElements()) > float64(x.Elements) {
			above = append(above, fmt.Sprintf("%s contained up to %d elements (recommended size: %.0f)",
				e.Edge, e.MaxElements(),
				float64(x.Elements)))
		}
	}
	if len(above) > 0 && m.Disturbed == "" && !m.Faulted() && !emitsDiffer(r) {
		f.add(faults.QueuesExceeded, hint, "queues exceeded their recommended sizes: "+strings.Join(first(above,
			maxNamed), "; "), "with the recommended sizes, their writers would wait: run with --buffers tuned to "+
			"measure the cost", "")
	}
}

// uneven is the difference in the work of copies, as a fraction of the run, above which the work is unequal.
const uneven = 0.1

// atCopies returns advice for an edge to or from copies of a kernel if its writer waits for space; "" for other edges.
// Copies process batches in a fixed rotation, so the slowest copy limits all copies. A larger buffer after the slowest
// copy only takes longer to fill.
func atCopies(r *result.Result, edge string) string {
	at := indexOf(r.Edges, func(e *result.Edge) bool { return e.Name == edge })
	if at < 0 {
		return ""
	}
	for _, name := range []string{r.Edges[at].To, r.Edges[at].From} {
		k := indexOf(r.Kernels, func(k *result.Kernel) bool { return k.Name == name })
		if k < 0 || r.Kernels[k].CopyOf == "" {
			continue
		}
		maximum, minimum := busiest(r, r.Kernels[k].CopyOf)
		if maximum == nil {
			continue
		}
		if !turnsMatter(maximum, minimum) {
			return fmt.Sprintf("the copies of %s take turns, and wait for each other if their service times vary: "+
				"enlarge all their buffers equally, buffer { %s } = …;", r.Kernels[k].CopyOf, declaredEdge(edge))
		}
		return fmt.Sprintf("a larger buffer does not help: the copies of %s take turns, so all wait for %s (busy "+
			"for %s of the run; %s was busy for %s). Change their turns (in X: 2 proc[1] & proc[2]), or use "+
			"--unordered if order does not "+
			"matter", r.Kernels[k].CopyOf, maximum.Kernel, units.Percent(maximum.Utilization), minimum.Kernel,
			units.Percent(minimum.Utilization))
	}
	return ""
}

// turnsMatter reports whether the work of copies is unequal: their utilizations differ by at least uneven, or both
// utilizations and firings differ by a factor above 1.5.
func turnsMatter(maximum, minimum *result.MeasuredKernel) bool {
	const more = 1.5
	return maximum.Utilization-minimum.Utilization >= uneven ||
		maximum.Utilization > more*minimum.Utilization &&
			float64(maximum.Firings) > more*float64(minimum.Firings)
}

// busiest returns the copies of a kernel that worked most and least; nil if the run has no copies of the kernel.
func busiest(r *result.Result, of string) (maximum, minimum *result.MeasuredKernel) {
	for i := range r.Measured.Kernels {
		x := &r.Measured.Kernels[i]
		k := indexOf(r.Kernels, func(k *result.Kernel) bool { return k.Name == x.Kernel })
		if k < 0 || r.Kernels[k].CopyOf != of {
			continue
		}
		if maximum == nil || x.Utilization > maximum.Utilization {
			maximum = x
		}
		if minimum == nil || x.Utilization < minimum.Utilization {
			minimum = x
		}
	}
	return maximum, minimum
}

// declaredEdge returns the name of an edge in buffer statements. The name covers all copies, such as top.e for top.e#2.
// Names in X files contain no #.
func declaredEdge(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

func indexOf[T any](list []T, matches func(*T) bool) int {
	for i := range list {
		if matches(&list[i]) {
			return i
		}
	}
	return -1
}
