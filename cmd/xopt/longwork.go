package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// longWork says what a command is at that takes longer than one looks at a prompt for: on a
// terminal a line that is taken away again, elsewhere a line now and then. Where it is known how
// much there is to do, the line has a bar and the time that is left.
type longWork struct {
	w        io.Writer
	terminal bool
	width    int // of the terminal; 0 where it is not known

	lock  sync.Mutex
	start time.Time
	what  string
	shown bool          // whether the line stands on the terminal
	told  time.Duration // when a line was last written, elsewhere

	done, all int           // steps; all is 0 where that is not known
	before    int           // of done, those that were done before the start
	limit     time.Duration // when the work ends at the latest; 0 for unknown

	stalled string // why nothing goes on; "" while it does

	stop, stopped chan struct{}
}

// How long a command is silent, and how often it says what it is at where there is no
// terminal.
const (
	silence   = 2 * time.Second
	sayAgain  = 15 * time.Second
	stageTick = 500 * time.Millisecond
	barWidth  = 20
)

// longWork begins to tell; end must be called before anything but a note is printed.
func (a *app) longWork(what string) *longWork {
	s := &longWork{w: a.notes, terminal: isTerminal(a.notes), what: what, start: time.Now(), stop: make(chan struct{}),
		stopped: make(chan struct{})}
	if s.terminal {
		s.w, s.width = a.notes.Under(), terminalWidth(a.notes) // the line moves the cursor
	}
	a.working = s
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

// at says what is done now.
func (s *longWork) at(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.what = what
}

// stall reports that the work waits for something, or goes on again.
func (s *longWork) stall(waits bool, why string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.stalled = why; !waits {
		s.stalled = ""
	}
}

// step says that so many of all steps are done.
func (s *longWork) step(done, all int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.all == 0 {
		s.before = done
	}
	s.done, s.all = done, all
}

// until says when the work ends at the latest, from now on.
func (s *longWork) until(limit time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.limit = time.Since(s.start) + limit
}

// far is how far the work is, 0 to 1, and how much time is left; known where there is a bar.
func (s *longWork) far(elapsed time.Duration) (part float64, left string, known bool) {
	switch {
	case s.stalled != "":
		return 0, "", false
	case s.limit > 0:
		left = "at most " + roundTime(max(0, s.limit-elapsed)) + " left"
		return min(elapsed.Seconds()/s.limit.Seconds(), 1), left, true
	case s.all > 0:
		part = float64(s.done) / float64(s.all)
		if made := s.done - s.before; made > 0 {
			each := elapsed / time.Duration(made)
			left = "about " + roundTime(each*time.Duration(s.all-s.done)) + " left"
		}
		return part, left, true
	}
	return 0, "", false
}

// line is what stands on a terminal.
func (s *longWork) line(elapsed time.Duration) string {
	what := s.what
	if s.stalled != "" {
		what = s.stalled
	} else if s.all > 0 {
		what += fmt.Sprintf(" %d of %d", min(s.done+1, s.all), s.all)
	}
	rest := fmt.Sprintf(", %.0f s", elapsed.Seconds())
	if part, left, known := s.far(elapsed); known {
		full := int(part * barWidth)
		rest = fmt.Sprintf(" %3.0f%% |%s%s| %.0f s", 100*part, strings.Repeat("█", full),
			strings.Repeat(" ", barWidth-full), elapsed.Seconds())
		if left != "" {
			rest += ", " + left
		}
	}
	if room := s.width - 1 - len([]rune(rest)); s.width > 0 && len([]rune(what)) > room {
		what = string([]rune(what)[:max(0, room)]) // one line can be taken away, two cannot
	}
	return what + rest
}

// show says after so long, where it is time to.
func (s *longWork) show(elapsed time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case elapsed < silence:
	case s.terminal:
		s.shown = true
		fmt.Fprintf(s.w, "\r\x1b[K%s", s.line(elapsed))
	case elapsed-s.told >= sayAgain:
		s.told = elapsed
		what := s.what
		if s.stalled != "" {
			what = s.stalled
		} else if s.all > 0 {
			what += fmt.Sprintf(" %d of %d", min(s.done+1, s.all), s.all)
		}
		fmt.Fprintf(s.w, "%s, %.0f s so far", what, elapsed.Seconds())
		if _, left, _ := s.far(elapsed); left != "" {
			fmt.Fprintf(s.w, ", %s", left)
		}
		fmt.Fprintln(s.w)
	}
}

// clear takes the line away for something else to be printed; it comes back below that.
func (s *longWork) clear() {
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

// end takes the line away. It may be called again, or for no work.
func (s *longWork) end() {
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
	s.clear()
}

// beside prints what others say while a command works, and takes its line away before.
type beside struct {
	app *app
	to  io.Writer
}

func (b beside) Write(p []byte) (int, error) {
	b.app.working.clear()
	return b.to.Write(p)
}
