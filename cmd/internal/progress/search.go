package progress

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"xopt/cmd/internal/report"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper"
)

// Search shows the progress of a search on a terminal. It prints nothing if w is not a terminal.
type Search struct {
	w     io.Writer                // the terminal itself, because a bar moves its cursor
	bar   *progressbar.ProgressBar // nil if w is not a terminal
	time  time.Duration
	evals uint64
	goal  mapper.Objective // objective of the displayed best value
	width int              // width of the terminal, in characters
}

// progressSteps is the number of steps of the bar.
const progressSteps = 1000

// NewSearch returns the display of a search with a time limit or a limit of evals mappings; 0 means no limit.
func NewSearch(stderr *safetext.Writer, limit time.Duration, evals uint64, goal mapper.Objective) *Search {
	w := stderr.Under()
	p := &Search{w: w, time: limit, evals: evals, goal: goal, width: TerminalWidth(stderr)}
	if !IsTerminal(stderr) {
		return p
	}
	steps := progressSteps
	if limit == 0 && evals == 0 {
		steps = -1
	}
	p.bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(barWidth/2),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(50*time.Millisecond))
	return p
}

// Update shows the best throughput so far and the number of mappings scored per second.
func (p *Search) Update(s mapper.Progress) {
	if p.bar == nil {
		return
	}
	best := "no mapping yet"
	if s.Best > 0 {
		best = "best " + units.Rate(s.Best)
		if p.goal != mapper.Throughput {
			best = fmt.Sprintf("best %s %s, %s", p.goal, report.FormatObjective(p.goal.String(), s.Value),
				units.Rate(s.Best))
		}
	}
	if s.Bound > 0 && s.Best > 0 && p.goal == mapper.Throughput {
		best += ", gap " + units.Percent(max(0, s.Bound/s.Best-1)) // relative distance to the upper bound
	}
	rate := float64(s.Evals) / max(s.Elapsed.Seconds(), 1e-9)
	p.bar.Describe(p.fitting(best, units.Count(rate)+" mappings/s", p.left(s, rate)))
	done := 0.0
	if p.time > 0 {
		done = s.Elapsed.Seconds() / p.time.Seconds()
	}
	if p.evals > 0 {
		done = max(done, float64(s.Evals)/float64(p.evals))
	}
	// An error of the bar must not stop the search.
	_ = p.bar.Set(int(min(done, 0.999) * progressSteps))
}

// left describes the remaining time until a limit.
func (p *Search) left(s mapper.Progress, rate float64) string {
	left := time.Duration(-1)
	if p.time > 0 {
		left = max(0, p.time-s.Elapsed)
	}
	if p.evals > 0 && rate > 0 {
		rest := time.Duration((float64(p.evals) - float64(s.Evals)) / rate * float64(time.Second))
		if rest = max(0, rest); left < 0 || rest < left {
			left = rest
		}
	}
	if left < 0 {
		return ""
	}
	return RoundTime(left) + " left"
}

// barRoom is the width of the bar and its percentage, in characters.
const barRoom = barWidth/2 + len(" 100% ||")

// fitting joins the parts of the line. It drops the rate if the line is too long.
func (p *Search) fitting(best, rate, left string) string {
	parts := []string{best, rate, left}
	if left == "" {
		parts = parts[:2]
	}
	line := strings.Join(parts, ", ")
	if p.width > 0 && len([]rune(line))+barRoom >= p.width {
		line = strings.Join(slices.Delete(parts, 1, 2), ", ")
	}
	return line
}

// Close removes the bar. After Ctrl-C, it starts a new line, because the terminal prints ^C.
func (p *Search) Close(interrupted bool) {
	if p.bar == nil {
		return
	}
	_ = p.bar.Finish()
	if interrupted {
		fmt.Fprintln(p.w)
	}
}
