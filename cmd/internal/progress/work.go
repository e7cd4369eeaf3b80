// Package progress shows the progress of a command, on a terminal or in a log.
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"xopt/internal/safetext"
)

// Work shows the current step of a command. In a terminal it uses one line, which it removes at the end. In a log it
// prints a line every sayAgain. If the amount of work is known, the line has a bar and the remaining time.
type Work struct {
	w        io.Writer
	terminal bool
	width    int // width of the terminal in characters; 0 if unknown

	lock     sync.Mutex
	start    time.Time
	what     string
	shown    bool          // the terminal shows the line
	reported time.Duration // time of the last line in a log

	done, all int           // steps; all is 0 if unknown
	before    int           // steps that were done before the start
	grown     bool          // steps were added: the end is unknown
	estimated int           // steps done at the last estimate of the end
	estimate  time.Duration // the last estimate
	external  bool          // the caller estimates the end
	left      countdown
	limit     time.Duration // latest end of the work; 0 if unknown

	stalled string // reason for a wait of the work; "" if it proceeds

	stop, stopped chan struct{}
}

// The initial silence of a command, the interval between its lines in a log, and the interval between updates of a
// terminal line.
const (
	silence   = 2 * time.Second
	sayAgain  = 15 * time.Second
	stageTick = 500 * time.Millisecond
)

const barWidth = 20 // characters

// Bar returns the percentage and a bar for a fraction from 0 to 1.
func Bar(part float64) (percent, bar string) {
	const all = 100
	b := progressbar.NewOptions(all, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	_ = b.Set(int(math.Round(all * part))) // no error: the bar discards its output
	percent, bar, _ = strings.Cut(strings.TrimSpace(b.String()), " ")
	return fmt.Sprintf("%4s", percent), strings.TrimSpace(bar)
}

// Start starts to show a step on w. The caller must call Stop before it prints anything except notes.
func Start(w *safetext.Writer, what string) *Work {
	s := &Work{w: w, terminal: IsTerminal(w), what: what, start: time.Now(), stop: make(chan struct{}),
		stopped: make(chan struct{})}
	if s.terminal {
		s.w, s.width = w.Under(), TerminalWidth(w) // bypass the filter, because the line contains escape sequences
	}
	go func() {
		defer close(s.stopped)
		ticker := time.NewTicker(stageTick)
		defer ticker.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				s.show(time.Since(s.start))
			}
		}
	}()
	return s
}

// At sets the text of the step.
func (s *Work) At(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.what = what
}

// Unplanned sets the text of an unplanned step. The end of the work is then unknown.
func (s *Work) Unplanned(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.what, s.grown = what, true
}

// Stall reports that the work waits for something, or that it proceeds again.
func (s *Work) Stall(waits bool, why string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.stalled = why; !waits {
		s.stalled = ""
	}
}

// Step sets the number of completed steps.
func (s *Work) Step(done, all int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.all == 0 {
		s.before = done
	}
	s.grown = s.grown || s.all > 0 && all > s.all
	s.done, s.all = done, all
}

// StepLeft sets the number of completed steps and the caller's estimate of the remaining time; 0 if unknown.
func (s *Work) StepLeft(done, all int, left time.Duration) {
	s.Step(done, all)
	s.Left(left)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.left = countdown{} // the estimate may increase
}

// Left sets the caller's estimate of the remaining time; 0 if unknown. Without a number of steps, the bar shows the
// elapsed fraction of the time.
func (s *Work) Left(left time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.external, s.estimate = true, 0
	if left > 0 {
		s.estimate = time.Since(s.start) + left
	}
}

// Until limits the duration of the work from now on.
func (s *Work) Until(limit time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.limit = time.Since(s.start) + limit
}

// far returns the progress from 0 to 1 and the remaining time. isKnown is true if there is a bar.
func (s *Work) far(elapsed time.Duration) (part float64, left string, isKnown bool) {
	switch {
	case s.stalled != "":
		return 0, "", false
	case s.limit > 0:
		left = s.left.text("at most ", max(0, s.limit-elapsed))
		return min(elapsed.Seconds()/s.limit.Seconds(), 1), left, true
	case s.all > 0:
		part = float64(s.done) / float64(s.all)
		if made := s.done - s.before; made > s.estimated && !s.external {
			s.estimated, s.estimate = made, elapsed+elapsed/time.Duration(made)*time.Duration(s.all-s.done)
		}
		if !s.grown && s.estimate > elapsed {
			left = s.left.text("about ", s.estimate-elapsed)
		}
		return part, left, true
	case s.estimate > elapsed:
		return elapsed.Seconds() / s.estimate.Seconds(), s.left.text("about ", s.estimate-elapsed), true
	}
	return 0, "", false
}

// countdown formats remaining times that never increase. It omits a time that is larger than the previous time.
type countdown struct {
	begun bool
	last  time.Duration
}

// text returns the words and the remaining time; "" if the time has increased.
func (c *countdown) text(words string, left time.Duration) string {
	if c.begun && left > c.last {
		return ""
	}
	c.begun, c.last = true, left
	return words + RoundTime(left) + " left"
}

// text returns the line of the step without its time.
func (s *Work) text() string {
	switch {
	case s.stalled != "":
		return s.stalled
	case s.all > 0:
		return fmt.Sprintf("%s %d of %d", s.what, min(s.done+1, s.all), s.all)
	}
	return s.what
}

// line returns the progress line of a terminal. A terminal can clear only one line. Therefore, a line that is too long
// omits the bar, and then the last parts of the text.
func (s *Work) line(elapsed time.Duration) string {
	what, percent, bar := s.text(), "", ""
	rest := fmt.Sprintf(", %.0f s", elapsed.Seconds())
	if part, left, isKnown := s.far(elapsed); isKnown {
		percent, bar = Bar(part)
		percent, bar, rest = " "+percent, " "+bar, fmt.Sprintf(" %.0f s", elapsed.Seconds())
		if left != "" {
			rest += ", " + left
		}
	}
	room := func() int { return s.width - 1 - len([]rune(what+percent+bar+rest)) }
	if s.width > 0 && room() < 0 {
		bar = ""
	}
	for n := room(); s.width > 0 && n < 0; n = room() {
		if i := strings.LastIndex(what, ", "); i > 0 {
			what = what[:i]
			continue
		}
		what = string([]rune(what)[:max(0, len([]rune(what))+n)])
		break
	}
	return what + percent + bar + rest
}

// show prints the line if it is due.
func (s *Work) show(elapsed time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case elapsed < silence:
	case s.terminal:
		s.shown = true
		fmt.Fprintf(s.w, "\r\x1b[K%s", s.line(elapsed))
	case elapsed-s.reported >= sayAgain:
		s.reported = elapsed
		fmt.Fprintf(s.w, "%s, %.0f s elapsed", s.text(), elapsed.Seconds())
		if _, left, _ := s.far(elapsed); left != "" {
			fmt.Fprintf(s.w, ", %s", left)
		}
		fmt.Fprintln(s.w)
	}
}

// Clear removes the line before other output. The line then appears again below that output.
func (s *Work) Clear() {
	if s == nil || !s.terminal {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.shown {
		s.shown = false
		fmt.Fprint(s.w, "\r\x1b[K")
	}
}

// Stop ends the display and removes the line. It may be called more than once, and on a nil Work.
func (s *Work) Stop() {
	if s == nil {
		return
	}
	select {
	case <-s.stopped:
		return
	default:
	}
	close(s.stop)
	<-s.stopped
	s.Clear()
}

// IsTerminal reports whether output goes to a terminal.
func IsTerminal(w *safetext.Writer) bool {
	f, ok := w.Under().(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsColored reports whether output goes to a terminal that shows colors.
func IsColored(w *safetext.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// TerminalWidth returns the width of the output's terminal in characters; 0 if the output is not a terminal.
func TerminalWidth(w *safetext.Writer) int {
	if f, ok := w.Under().(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// TerminalHeight returns the number of lines of the output's terminal; 0 if the output is not a terminal.
func TerminalHeight(w *safetext.Writer) int {
	if f, ok := w.Under().(*os.File); ok {
		if _, n, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// LineWidth returns the width of the output's terminal, else the value of COLUMNS; 0 if neither is known.
func LineWidth(w *safetext.Writer) int {
	if n := TerminalWidth(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 0
}

// RoundTime formats a time, rounded to seconds or, from one minute, to ten seconds.
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
