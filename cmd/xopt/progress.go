package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/mapper"
)

// progress shows a running search on a terminal; elsewhere it is silent.
type progress struct {
	w     io.Writer                // the terminal itself: a bar moves its cursor
	bar   *progressbar.ProgressBar // nil where w is not a terminal
	time  time.Duration
	evals uint64
	goal  mapper.Objective // what is shown of the best
}

// progressSteps is the length of the bar in steps.
const progressSteps = 1000

func newProgress(stderr *safetext.Writer, limit time.Duration, evals uint64, goal mapper.Objective) *progress {
	w := stderr.Under()
	p := &progress{w: w, time: limit, evals: evals, goal: goal}
	if !isTerminal(stderr) {
		return p
	}
	steps := progressSteps
	if limit == 0 && evals == 0 {
		steps = -1
	}
	p.bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(50*time.Millisecond))
	return p
}

// update shows the best throughput so far and the rate of scored mappings.
func (p *progress) update(s mapper.Progress) {
	if p.bar == nil {
		return
	}
	best := "no mapping yet"
	if s.Best > 0 {
		best = "best " + units.Rate(s.Best)
		if p.goal != mapper.Throughput {
			best = fmt.Sprintf("least %s %s, %s", p.goal, view.FormatObjective(p.goal.String(), s.Value),
				units.Rate(s.Best))
		}
	}
	p.bar.Describe(fmt.Sprintf("%s, %s mappings/s", best, units.Count(float64(s.Evals)/max(s.Elapsed.Seconds(), 1e-9))))
	done := 0.0
	if p.time > 0 {
		done = s.Elapsed.Seconds() / p.time.Seconds()
	}
	if p.evals > 0 {
		done = max(done, float64(s.Evals)/float64(p.evals))
	}
	// A bar that cannot be drawn must not stop the search.
	_ = p.bar.Set(int(min(done, 0.999) * progressSteps))
}

// close takes the bar away; after a Ctrl-C, which the terminal prints, what
// follows begins on a line of its own.
func (p *progress) close(interrupted bool) {
	if p.bar == nil {
		return
	}
	_ = p.bar.Finish()
	if interrupted {
		fmt.Fprintln(p.w)
	}
}
