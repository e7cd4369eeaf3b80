package maxplus

// delay is how long something is on its way: always the same time, and another that is drawn evenly for each, but
// nothing overtakes what went before.
type delay struct {
	fixed, jitter float64 // s
	last          float64 // when the last is there
	draws         Draws
}

func newDelay(fixed, jitter float64) delay { return delay{fixed: fixed, jitter: jitter} }

// none reports whether it takes no time at all.
func (d *delay) none() bool { return d.fixed == 0 && d.jitter == 0 }

// begin puts it into its initial state; which tells it from the others of the simulation.
func (d *delay) begin(s *Simulator, which int) {
	if d.jitter > 0 {
		d.last, d.draws = 0, *newDraws(s.tables, s.run.options.Seed, uint64(2*which))
	}
}

// after is when something is there that goes at a time, behind all that went earlier.
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
