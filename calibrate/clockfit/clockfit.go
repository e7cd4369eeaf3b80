// Package clockfit relates the clock of another resource, such as the cycle counter
// of an FPGA, to the local one, so that time stamps of both can be compared
// (Lancaster 2011 §4.6).
//
// The other clock is asked for its count many times. Each exchange has the local
// time before the question and after the answer; the count was read in between, at
// best in the middle (Eq. 4.9). Exchanges that took long say little: only those with
// the shortest round trips of each stretch of time are used. Through them goes a
// line by least squares, which gives rate and offset (Eq. 4.1, 4.2, 4.10).
//
// How far the middle may be off is bounded by half of the shortest round trip: no
// fit can tell a constant asymmetry of the way there and back (Eq. 4.7, 4.8).
// Uncertainties that the package returns hold both that bound and the statistical
// error.
//
// It stands beside what measures and imports nothing of the project.
package clockfit

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Exchange is one question for the other clock.
type Exchange struct {
	Sent     uint64 // local ticks, just before the question
	Remote   uint64 // ticks of the other clock, read to answer it
	Received uint64 // local ticks, just after the answer
}

// Options say how to fit. The zero value is what most clocks need.
type Options struct {
	// Windows is how many stretches of time the exchanges are divided into, 0 for
	// 32; of each, the shortest round trips are used.
	Windows int
	// Part is the part of a window's exchanges to use, 0 for a tenth; at least one.
	Part float64
	// Bits is the width of the other counter, which starts anew at 2^Bits; 0 for 64.
	// There must be an exchange between any two times that it does.
	Bits int
}

// Errors that a fit ends with.
var (
	ErrTooFew = errors.New("too few exchanges")
	ErrNoSpan = errors.New("the exchanges span no time")
	ErrCausal = errors.New("an exchange was answered before it was sent")
	ErrStep   = errors.New("a clock was set, or does not run evenly")
)

// Least numbers for a fit.
const (
	minExchanges = 8
	minUsed      = 4
	minWindows   = 2
)

// Clock converts between the other clock's ticks and local ones.
type Clock struct {
	local, remote uint64 // the middle of the exchanges used
	offset        float64
	rate          float64
	rateError     float64
	offsetError   float64
	half          float64
	used          int
	bits          int
}

// Rate is local ticks per tick of the other clock, with its standard error.
func (c *Clock) Rate() (rate, standardError float64) { return c.rate, c.rateError }

// Bound is half of the shortest round trip, in local ticks: what an asymmetric way
// can add to every conversion.
func (c *Clock) Bound() float64 { return c.half }

// Used is how many exchanges the fit rests on.
func (c *Clock) Used() int { return c.used }

// Fit fits a clock to exchanges in the order in which they were made.
func Fit(exchanges []Exchange, o Options) (*Clock, error) {
	if o.Windows == 0 {
		o.Windows = 32
	}
	if o.Part == 0 {
		o.Part = 0.1
	}
	if o.Windows < minWindows || !(o.Part > 0 && o.Part <= 1) || o.Bits < 0 || o.Bits > 64 {
		return nil, fmt.Errorf("fitting a clock with %d windows, the part %g and %d bits: want at least %d windows, "+
			"a part up to 1, and up to 64 bits", o.Windows, o.Part, o.Bits, minWindows)
	}
	if len(exchanges) < minExchanges {
		return nil, fmt.Errorf("%w: %d, want at least %d", ErrTooFew, len(exchanges), minExchanges)
	}
	x, err := unwrap(exchanges, o.Bits)
	if err != nil {
		return nil, err
	}
	used, err := shortest(x, o)
	if err != nil {
		return nil, err
	}
	c := &Clock{bits: o.Bits, used: len(used)}
	if err := c.line(used); err != nil {
		return nil, err
	}
	return c, c.verify(x)
}

// unwrap makes a counter that starts anew one that goes on, and checks that time
// passes in all of them.
func unwrap(exchanges []Exchange, bits int) ([]Exchange, error) {
	out := slices.Clone(exchanges)
	var add uint64
	for i := range out {
		e := &out[i]
		if e.Received < e.Sent || i > 0 && e.Sent < out[i-1].Sent {
			return nil, fmt.Errorf("%w: exchange %d, sent at %d, received at %d", ErrCausal, i, e.Sent, e.Received)
		}
		if bits > 0 && bits < 64 {
			if e.Remote>>bits != 0 {
				return nil, fmt.Errorf("%w: exchange %d holds %d, which has more than %d bits", ErrStep, i, e.Remote,
					bits)
			}
			if i > 0 && e.Remote < exchanges[i-1].Remote {
				add += 1 << bits
			}
			e.Remote += add
		}
		if i > 0 && e.Remote < out[i-1].Remote {
			return nil, fmt.Errorf("%w: the other clock goes back from %d to %d at exchange %d", ErrStep,
				out[i-1].Remote, e.Remote, i)
		}
	}
	return out, nil
}

// shortest takes the exchanges with the shortest round trips of each window.
func shortest(x []Exchange, o Options) ([]Exchange, error) {
	first, last := x[0].Sent, x[len(x)-1].Sent
	if last == first || x[len(x)-1].Remote == x[0].Remote {
		return nil, ErrNoSpan
	}
	windows := make([][]Exchange, o.Windows)
	for _, e := range x {
		i := int(float64(e.Sent-first) / (float64(last-first) + 1) * float64(o.Windows))
		windows[i] = append(windows[i], e)
	}
	var used []Exchange
	filled := 0
	for _, w := range windows {
		if len(w) == 0 {
			continue
		}
		filled++
		slices.SortStableFunc(w, func(a, b Exchange) int { return compare(a.Received-a.Sent, b.Received-b.Sent) })
		used = append(used, w[:max(1, int(o.Part*float64(len(w))))]...)
	}
	if filled < minWindows || len(used) < minUsed {
		return nil, fmt.Errorf("%w: %d of use in %d stretches of time, want %d in %d", ErrTooFew, len(used), filled,
			minUsed, minWindows)
	}
	return used, nil
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// line goes through the middles of exchanges, each weighted by the square of the
// reciprocal of its round trip. Differences from an origin keep large counts exact.
func (c *Clock) line(used []Exchange) error {
	c.local, c.remote = used[len(used)/2].Sent, used[len(used)/2].Remote
	c.half = math.Inf(1)
	type point struct{ x, y, w float64 }
	points := make([]point, len(used))
	sum, meanX, meanY := 0.0, 0.0, 0.0
	for i, e := range used {
		trip := float64(e.Received - e.Sent)
		c.half = min(c.half, trip/2)
		p := point{difference(e.Remote, c.remote), difference(e.Sent, c.local) + trip/2, 1 / math.Pow(trip/2+1, 2)}
		points[i] = p
		sum += p.w
		meanX += p.w * p.x
		meanY += p.w * p.y
	}
	meanX /= sum
	meanY /= sum
	xx, xy := 0.0, 0.0
	for _, p := range points {
		xx += p.w * (p.x - meanX) * (p.x - meanX)
		xy += p.w * (p.x - meanX) * (p.y - meanY)
	}
	if !(xx > 0) {
		return ErrNoSpan
	}
	c.rate = xy / xx
	c.offset = meanY - c.rate*meanX
	residual := 0.0
	for _, p := range points {
		r := p.y - meanY - c.rate*(p.x-meanX)
		residual += p.w * r * r
	}
	variance := residual / float64(len(points)-2) // of a point of weight 1
	c.rateError = math.Sqrt(variance / xx)
	c.offsetError = math.Sqrt(variance * (1/sum + meanX*meanX/xx))
	if !(c.rate > 0) {
		return fmt.Errorf("%w: the other clock runs at a rate of %g", ErrStep, 1/c.rate)
	}
	return nil
}

// verify holds the line against causality (Eq. 4.3): no count was read before its
// question or after its answer. What lies outside by more than the errors means
// that the clocks do not keep one rate.
func (c *Clock) verify(x []Exchange) error {
	for i, e := range x {
		at := c.localDifference(e.Remote)
		slack := c.uncertainty(difference(e.Remote, c.remote)) + 1 + c.rate
		early, late := difference(e.Sent, c.local)-at, at-difference(e.Received, c.local)
		if worst := max(early, late); worst > slack {
			return fmt.Errorf("%w: at exchange %d the line through the others is %.0f local ticks outside of the "+
				"exchange", ErrStep, i, worst)
		}
	}
	return nil
}

// difference is a - b, exact as far as a float64 goes.
func difference(a, b uint64) float64 { return float64(int64(a - b)) }

func (c *Clock) localDifference(remote uint64) float64 {
	return c.offset + c.rate*difference(remote, c.remote)
}

// uncertainty is twice the standard error at x ticks of the other clock from the
// origin, and the bound.
func (c *Clock) uncertainty(x float64) float64 {
	return c.half + 2*math.Hypot(c.offsetError, x*c.rateError)
}

// Local is the local time, in ticks, of a count of the other clock, and how far it
// may be off. A counter with Bits must be given as one that goes on: see Extend.
func (c *Clock) Local(remote uint64) (local uint64, uncertainty float64) {
	d := math.Round(c.localDifference(remote))
	return c.local + uint64(int64(d)), c.uncertainty(difference(remote, c.remote))
}

// Remote is the count of the other clock at a local time, and how far it may be off
// in its ticks.
func (c *Clock) Remote(local uint64) (remote uint64, uncertainty float64) {
	d := (difference(local, c.local) - c.offset) / c.rate
	return c.remote + uint64(int64(math.Round(d))), c.uncertainty(d) / c.rate
}

// Extend turns a count of Bits bits, read at about the local time given, into one
// that goes on from the first exchange.
func (c *Clock) Extend(count, local uint64) uint64 {
	if c.bits == 0 || c.bits == 64 {
		return count
	}
	near, _ := c.Remote(local)
	period := uint64(1) << c.bits
	out := near&^(period-1) | count&(period-1)
	switch d := int64(out - near); {
	case d > int64(period/2) && out >= period:
		out -= period
	case d < -int64(period/2):
		out += period
	}
	return out
}
