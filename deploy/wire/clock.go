package wire

import "sync"

// Clock is how far the clock of another host is from the one here, by messages there and back: the host's time is
// that of the middle between sending and receiving, if both ways take as long. The error is half the difference of
// the two ways at the most half the round trip, and so the shortest of the last round trips counts (NTP does so:
// RFC 5905 §10).
type Clock struct {
	mu   sync.Mutex
	last [clockLast]trip
	n    int
}

// clockLast is how many round trips are looked at.
const clockLast = 8

type trip struct{ took, offset int64 }

// Add counts a message sent at a time here, received there at a time of that host, and answered here, all in ns.
func (c *Clock) Add(sent, there, answered int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[c.n%clockLast] = trip{answered - sent, sent + (answered-sent)/2 - there}
	c.n++
}

// Offset is what to add to the clock of the other host for the one here, and how far it may be wrong, in ns; ok is
// whether anything is known.
func (c *Clock) Offset() (offset, within int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		return 0, 0, false
	}
	best := c.last[0]
	for _, t := range c.last[1:min(c.n, clockLast)] {
		if t.took < best.took {
			best = t
		}
	}
	return best.offset, best.took / 2, true
}
