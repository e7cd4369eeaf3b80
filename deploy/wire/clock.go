package wire

import "sync"

// Clock estimates the offset of another host's clock from messages there and back. It assumes equal delays in both
// directions, so that the host's time is that of the middle of the round trip. The error is at most half the round
// trip. Therefore the shortest of the last round trips counts, as in NTP (RFC 5905 §10).
type Clock struct {
	mu   sync.Mutex
	last [clockLast]trip
	n    int
}

// clockLast is the number of recent round trips in use.
const clockLast = 8

type trip struct{ took, offset int64 }

// Add counts a message sent at a time here, received there at a time of that host, and answered here, all in ns.
func (c *Clock) Add(sent, there, answered int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[c.n%clockLast] = trip{answered - sent, sent + (answered-sent)/2 - there}
	c.n++
}

// Offset returns the value to add to the other host's clock to obtain the clock here, and its maximum error, in ns.
// ok reports whether anything is known.
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
