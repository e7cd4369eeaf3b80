package view

import (
	"fmt"
	"strings"

	"xopt/internal/predict"
	"xopt/internal/result"
	"xopt/internal/units"
)

// ties tells of mappings with the same throughput, and how they differ.
func (f *findings) ties(r *result.Result) {
	best := &r.Candidates[0]
	if r.Search != nil && len(r.Search.Objectives) > 1 {
		return
	}
	var names, better []string
	for i := 1; i < len(r.Candidates); i++ {
		c := &r.Candidates[i]
		if c.Throughput < best.Throughput*(1-result.TieTolerance) {
			continue
		}
		names = append(names, c.Name)
		a, b := best.Measures, c.Measures
		if a == nil || b == nil {
			continue
		}
		if b.Latency < betterBy*a.Latency {
			better = append(better, fmt.Sprintf("%s has latency %s, not %s", c.Name, units.Time(float64(b.Latency)),
				units.Time(float64(a.Latency))))
		} else if b.Buffers < betterBy*a.Buffers {
			better = append(better, fmt.Sprintf("%s needs buffers of %s, not %s", c.Name,
				units.Size(float64(b.Buffers)),
				units.Size(float64(a.Buffers))))
		}
	}
	if len(names) == 0 {
		return
	}
	do := "choose by what else matters to you"
	if len(better) > 0 {
		do = "choose by latency or memory"
	}
	f.add(hint, fmt.Sprintf("mapping %s ties with %s in throughput", best.Name, strings.Join(first(names, maxNamed),
		", ")), do, strings.Join(first(better, 1), "; "))
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
	runsFull   = 0.9 // part of its process's time that a kernel works
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
		f.add(problem, fmt.Sprintf("the run ended by a fault of %s: %s", m.FaultOf, m.Partial), "mend "+m.FaultOf, "")
	} else if m.Partial != "" {
		f.add(hint, "the run did not end by itself: "+m.Partial, "what it says holds until then", "")
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
	f.busiest(m)
	f.predicted(r)
}

// busiest tells what limited a run.
func (f *findings) busiest(m *result.Measured) {
	top := -1
	for i := range m.Kernels {
		if top < 0 || m.Kernels[i].Utilization > m.Kernels[top].Utilization {
			top = i
		}
	}
	if top >= 0 && float64(m.Kernels[top].Utilization) >= runsFull {
		k := &m.Kernels[top]
		f.add(hint, fmt.Sprintf("%s worked %s of the time of %s: it limited the run", k.Kernel,
			units.Percent(float64(k.Utilization)), k.Process), "make it faster, or move it to where there is room", "")
	}
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
		f.add(hint, fmt.Sprintf("the writer of %s waited for room %s of the run", e.Edge,
			units.Percent(float64(e.Backpressure))),
			"enlarge its buffer: its reader had time", "")
	}
}

// predicted tells where a run differs from what was predicted of it.
func (f *findings) predicted(r *result.Result) {
	c, m := r.Prediction, r.Measured
	if c == nil {
		return
	}
	if off := predict.Compare(c, m)[0]; off.Measured > 0 && (off.Error() > missedMuch || off.Error() < -missedMuch) {
		f.add(caution, fmt.Sprintf("%s were predicted: %s", units.Rate(float64(c.Throughput)), off.Off()),
			"xopt validate tells which part of the prediction is off", "")
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
			float64(e.MostHeld) > float64(x.Elements) {
			above = append(above, fmt.Sprintf("%s held %d, %.0f recommended", e.Edge, e.MostHeld, float64(x.Elements)))
		}
	}
	if len(above) > 0 {
		f.add(hint, "queues stood above their recommended sizes: "+strings.Join(first(above, maxNamed), "; "),
			"with those sizes their writers wait; --buffers tuned shows what that costs", "")
	}
}
