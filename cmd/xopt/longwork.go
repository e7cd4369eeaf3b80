package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// longWork says what a command is at that takes longer than one looks at a prompt for: on a
// terminal a line that is taken away again, elsewhere a line now and then.
type longWork struct {
	w        io.Writer
	terminal bool

	lock  sync.Mutex
	what  string
	shown bool          // whether the line stands on the terminal
	told  time.Duration // when a line was last written, elsewhere

	stop, stopped chan struct{}
}

// How long a command is silent, and how often it says what it is at where there is no
// terminal.
const (
	silence   = 2 * time.Second
	sayAgain  = 15 * time.Second
	stageTick = 500 * time.Millisecond
)

// longWork begins to tell; end must be called before anything else is printed.
func (a *app) longWork(what string) *longWork {
	s := &longWork{w: a.notes, terminal: isTerminal(a.notes), what: what, stop: make(chan struct{}),
		stopped: make(chan struct{})}
	if s.terminal {
		s.w = a.notes.Under() // the line moves the cursor
	}
	start := time.Now()
	go func() {
		defer close(s.stopped)
		ticker := time.NewTicker(stageTick)
		defer ticker.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				s.show(time.Since(start))
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

// show says after so long, where it is time to.
func (s *longWork) show(elapsed time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case elapsed < silence:
	case s.terminal:
		s.shown = true
		fmt.Fprintf(s.w, "\r\x1b[K%s, %.0f s", s.what, elapsed.Seconds())
	case elapsed-s.told >= sayAgain:
		s.told = elapsed
		fmt.Fprintf(s.w, "%s, %.0f s so far\n", s.what, elapsed.Seconds())
	}
}

// end takes the line away. It may be called again.
func (s *longWork) end() {
	select {
	case <-s.stopped:
		return
	default:
	}
	close(s.stop)
	<-s.stopped
	if s.shown {
		fmt.Fprint(s.w, "\r\x1b[K")
	}
}
