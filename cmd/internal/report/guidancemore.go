package report

import (
	"cmp"
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// ties tells of mappings with the same throughput, and how they differ.
func (f *findings) ties(r *result.Result) {
	n := tied(r)
	if n < 2 {
		return
	}
	do, gains := "choose by what else matters to you", tieGains(r, n)
	if len(gains) > 0 {
		do = "choose by what they differ in"
	} else if len(tieUnlikes(r, n)) > 0 {
		do = "keep candidate " + r.Candidates[0].Name + ": of what was compared, no other is better in anything"
	}
	f.add(hint, tieSeen(r, n), do, strings.Join(gains, "; "))
}

// tieSeen is what guidance says of candidates that tie.
func tieSeen(r *result.Result, n int) string {
	return "candidates " + tieNames(r, n) + " tie in throughput"
}

// robust tells of mappings that cannot be told from the first by what is known.
func (f *findings) robust(r *result.Result) {
	told := 0
	for i := 1; i < len(r.Candidates) && told < maxDoubts; i++ {
		x := r.Candidates[i].Robustness
		if x == nil || x.Decide == nil {
			continue
		}
		told++
		f.add(caution, fmt.Sprintf("mappings %s and %s cannot be told apart: %s is better in %s of the draws",
			r.Candidates[0].Name, r.Candidates[i].Name, r.Candidates[0].Name, units.Percent(float64(x.Behind))),
			"measure "+doubtName(x.Decide)+" better",
			fmt.Sprintf("%s of the doubt", units.Percent(float64(x.Decide.Part))))
	}
}

// What is told of a run, and from when on.
const (
	waitsLong  = 0.1 // part of a run that a writer waits for room
	runsFull   = 0.9 // part of the run that a resource, link or kernel is used
	missedMuch = 0.1 // relative error of a prediction
)

// run tells of what went wrong in a run, and what limited it.
func (f *findings) run(r *result.Result) {
	m := r.Measured
	for i := range m.Assertions {
		if a := &m.Assertions[i]; !a.Holds {
			seen := fmt.Sprintf("assertion %s failed in %d of %s", a.Name, a.Failed, count(int(a.Frames), "frame"))
			do := "look at the first: " + a.Text
			if len(a.Failures) > 0 {
				do = "look at the first: " + a.Failures[0].Text
			}
			f.add(problem, seen, do, "")
		}
	}
	if m.FaultOf != "" {
		f.add(problem, fmt.Sprintf("a fault of %s ended the run: %s", m.FaultOf, firstLine(m.Partial)),
			"correct "+m.FaultOf, "")
		f.list[len(f.list)-1].first = true
	} else if m.Partial != "" {
		f.add(hint, "the run did not end by itself: "+firstLine(m.Partial), "its figures hold until then", "")
	}
	if m.Disturbed != "" {
		f.add(caution, "the machine was disturbed in the run: "+m.Disturbed, "run it again when the machine is quiet",
			"")
	}
	if b := m.Buffers; b != nil {
		for i, s := range grownStatements(b) {
			f.add(hint, fmt.Sprintf("the buffer of %s grew in the run", b.Last()[i].Edge), s, "no stop in the next run")
		}
	}
	f.limited(r)
	f.predicted(r)
}

// limited tells what limited a run.
func (f *findings) limited(r *result.Result) {
	m := r.Measured
	for _, x := range limited(m) {
		if float64(x.Utilization) < runsFull {
			continue
		}
		seen := fmt.Sprintf("%s was in use %s of the run: it limited the throughput", x.Name,
			units.Percent(float64(x.Utilization)))
		switch {
		case x.IsLink:
			f.add(hint, seen, "send less over it, or plan for more bandwidth", "")
		case x.Sharers > 1 && x.Busiest != "":
			f.add(hint, seen, "take work off it, or make one of its kernels faster: most of the work is "+x.Busiest, "")
		default:
			f.add(hint, seen, "make "+cmp.Or(x.Busiest, "its kernel")+" faster, or split it", "")
		}
	}
	f.waited(r)
}

// waited tells which writer waited for room most, though its reader had time.
func (f *findings) waited(r *result.Result) {
	m := r.Measured
	worst := -1
	for i := range m.Edges {
		if float64(m.Edges[i].Utilization) >= runsFull {
			continue // its reader is the bottleneck: whoever writes waits, whatever the size
		}
		if worst < 0 || m.Edges[i].Backpressure > m.Edges[worst].Backpressure {
			worst = i
		}
	}
	if worst >= 0 && float64(m.Edges[worst].Backpressure) >= waitsLong {
		e := &m.Edges[worst]
		do := "enlarge its buffer: its reader had time"
		if between := atCopies(r, e.Edge); between != "" {
			do = between
		}
		f.add(hint, fmt.Sprintf("the writer of %s waited for space for %s of the run", e.Edge,
			units.Percent(float64(e.Backpressure))), do, "")
	}
}

// predicted tells where a run differs from what was predicted of it.
func (f *findings) predicted(r *result.Result) {
	c, m := r.Prediction, r.Measured
	if c == nil {
		return
	}
	if off := predict.Compare(c, m)[0]; off.Measured > 0 && !off.Short && (off.Error() > missedMuch ||
		off.Error() < -missedMuch) {
		do := "xopt validate tells which part of the prediction is off"
		if d := predict.Deviates(c, m); d != nil {
			do = "calibrate " + d.Kernel + " again, which deviates most; " + do
		}
		f.add(caution, fmt.Sprintf("%s were predicted: %s", units.Rate(float64(c.Throughput)), off.Off()), do, "")
	}
	recommended := make(map[string]*result.Recommendation)
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Recommended != nil {
			recommended[q.Edge] = q.Recommended
		}
	}
	var above []string
	for i := range m.Edges {
		e := &m.Edges[i]
		if x := recommended[e.Edge]; x != nil && float64(e.Utilization) < runsFull &&
			float64(e.Most()) > float64(x.Elements) {
			above = append(above, fmt.Sprintf("%s held %d, %.0f recommended", e.Edge, e.Most(), float64(x.Elements)))
		}
	}
	if len(above) > 0 {
		f.add(hint, "queues exceeded their recommended sizes: "+strings.Join(first(above, maxNamed), "; "),
			"at the recommended sizes their writers would have waited; --buffers tuned shows what that costs", "")
	}
}
