package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"xopt/internal/safetext"
)

// Stages shows the progress of a long command. In a terminal, it shows a bar with the remaining time. In a log, it
// prints a line every stageLines.
type Stages struct {
	w         io.Writer
	bar       *progressbar.ProgressBar // nil if w is not a terminal
	now       func() time.Time
	start     time.Time
	reported  time.Time // time of the last line
	lineEvery time.Duration
	left      countdown
}

// stageLines is the interval between lines in a log.
const stageLines = 10 * time.Second

// NewStages returns the display of a command that writes to w.
func NewStages(w *safetext.Writer) *Stages {
	s := &Stages{w: w, now: time.Now, lineEvery: stageLines}
	s.start = s.now()
	s.reported = s.start
	if IsTerminal(w) {
		s.bar = progressbar.NewOptions(progressSteps, progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(50*time.Millisecond))
	}
	return s
}

// Update shows the current stage and the remaining time; 0 for an unknown time.
func (s *Stages) Update(stage string, left time.Duration) {
	now := s.now()
	elapsed := now.Sub(s.start)
	due := s.bar != nil || now.Sub(s.reported) >= s.lineEvery
	text := stage
	if due && left > 0 {
		if rest := s.left.text("about ", left); rest != "" {
			text += ", " + rest
		}
	}
	if s.bar != nil {
		s.bar.Describe(text)
		if total := elapsed + left; total > 0 && left > 0 {
			// An error of the bar must not stop the command.
			_ = s.bar.Set(int(min(float64(elapsed)/float64(total), 0.999) * progressSteps))
		}
		return
	}
	if !due {
		return
	}
	s.reported = now
	fmt.Fprintf(s.w, "%s elapsed: %s\n", RoundTime(elapsed), text)
}

// Close removes the bar. After Ctrl-C, it starts a new line, because the terminal prints ^C.
func (s *Stages) Close(interrupted bool) {
	if s.bar == nil {
		return
	}
	_ = s.bar.Finish()
	if interrupted {
		fmt.Fprintln(s.w)
	}
}

// RoundTime rounds a time to seconds, or to ten seconds if it is above a minute.
func RoundTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return "1s"
	case d < time.Minute:
		return d.Round(time.Second).String()
	}
	d = d.Round(10 * time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
