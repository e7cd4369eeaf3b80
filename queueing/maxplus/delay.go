package maxplus

// delay is a transfer time: a fixed time plus uniform jitter, drawn for each transfer. Transfers never overtake each
// other.
type delay struct {
	fixed, jitter float64 // s
	last          float64 // when the last is there
	draws         Draws
}

func newDelay(fixed, jitter float64) delay { return delay{fixed: fixed, jitter: jitter} }

// none reports whether the delay is 0.
func (d *delay) none() bool { return d.fixed == 0 && d.jitter == 0 }

// begin resets the delay. which is its number, unique in the simulation, for its seed.
func (d *delay) begin(s *Simulator, which int) {
	if d.jitter > 0 {
		d.last, d.draws = 0, *newDraws(s.tables, s.run.options.Seed, uint64(2*which))
	}
}

// after returns the arrival of a transfer that starts at the given time. Calls must be in order.
func (d *delay) after(time float64) float64 {
	if d.jitter > 0 {
		return d.drawn(time)
	}
	return time + d.fixed
}

func (d *delay) drawn(time float64) float64 {
	d.last = max(d.last, time+d.fixed+d.jitter*d.draws.Float64())
	return d.last
}
