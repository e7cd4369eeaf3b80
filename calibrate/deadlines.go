package calibrate

import (
	"context"
	"time"
)

// clock enforces the time limits of a calibration.
type clock struct {
	now        func() time.Time
	until      time.Time // deadline of the calibration; zero for none
	last       time.Time // later deadline that applies while no kernel has been measured
	some       bool      // first runs are complete, and a kernel has been measured
	budget     time.Duration
	perRun     time.Duration // time for windows per kernel, if there is no budget
	windowsEnd time.Time     // deadline of the windows, after their start
	start      time.Time
	all        int           // number of kernels
	to         int           // number of kernels to measure; -1 until it is known
	aside      time.Duration // time reserved for memory contention, which is measured after the windows
}

// The assumed times for one kernel until measured times are available. A build includes the variants with all peers on
// one core and with peers on another core.
const (
	buildTime    = 3 * time.Second
	firstTime    = 300 * time.Millisecond
	runsTime     = 2 * firstTime   // a kernel's first run and one turn
	windowsTime  = 3 * time.Second // per kernel, if there is no budget
	hardwareTime = 10 * time.Second
)

// coarsePrecision is the requested precision above which the time for windows decreases with 1/precision, because wide
// intervals need few windows.
const coarsePrecision = 0.1

func newClock(o *Options, kernels int) clock {
	c := clock{now: o.now, start: o.now(), until: o.Until, last: o.Last, budget: o.Budget, all: kernels, to: -1,
		perRun: time.Duration(min(1, coarsePrecision/o.Precision) * float64(windowsTime))}
	if o.Contention {
		c.aside = time.Duration(kernels+1) * contentionTime // and the probe
	}
	return c
}

// asidePart is the maximum fraction of the remaining time that is reserved for measuring memory contention.
const asidePart = 0.4

// built records the number of kernels to measure, after they have been built.
func (c *clock) built(kernels int) { c.to = kernels }

// measuring starts the time limit of the windows.
func (c *clock) measuring() {
	budget := c.budget
	if budget == 0 {
		budget = c.perRun * time.Duration(c.to)
	}
	c.windowsEnd = c.now().Add(budget)
	if !c.until.IsZero() && (c.budget == 0 || c.until.Before(c.windowsEnd)) {
		c.windowsEnd = c.until
	}
	if !c.until.IsZero() {
		left := max(0, c.until.Sub(c.now()))
		deadline := c.until.Add(-min(c.aside, time.Duration(asidePart*float64(left))))
		if deadline.Before(c.windowsEnd) {
			c.windowsEnd = deadline
		}
	}
}

// limit returns the deadline; zero for none. While no kernel has been measured, the deadline is last, if last is later
// than until.
func (c *clock) limit() time.Time {
	if !c.some && c.last.After(c.until) && !c.until.IsZero() {
		return c.last
	}
	return c.until
}

// isOver reports whether the deadline of the calibration has passed.
func (c *clock) isOver() bool {
	limit := c.limit()
	return !limit.IsZero() && !c.now().Before(limit)
}

// inTime runs a step of the calibration with the deadline of the calibration. late reports that the deadline ended the
// step.
func (c *clock) inTime(ctx context.Context, part func(ctx context.Context) error) (late bool, err error) {
	limited, cancel := withDeadline(ctx, c.now, c.limit())
	defer cancel()
	if err = limited.Err(); err == nil {
		err = part(limited)
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// withDeadline returns a context with a deadline; a zero time sets none.
func withDeadline(ctx context.Context, now func() time.Time, until time.Time) (context.Context, context.CancelFunc) {
	if until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, until.Sub(now()))
}

// full reports whether the remaining time does not suffice to build another kernel. It reserves time for the first run
// of each built kernel, but at most half of the total time.
func (c *clock) full(built int) bool {
	if c.until.IsZero() || built == 0 {
		return c.isOver()
	}
	half := c.until.Sub(c.start) / 2
	return !c.now().Before(c.until.Add(-min(half, time.Duration(built)*runsTime)))
}

// slowdown returns the time for recording and building divided by its estimate.
func (c *clock) slowdown(record time.Duration, built int) float64 {
	return float64(c.now().Sub(c.start)) / float64(record+time.Duration(built)*buildTime)
}

// late reports whether the deadline of the calibration or of the windows has passed.
func (c *clock) late() bool {
	return c.isOver() || !c.windowsEnd.IsZero() && !c.now().Before(c.windowsEnd)
}

// short reports whether the remaining time does not suffice to measure the costs of transfers between cores.
func (c *clock) short() bool {
	const part = 0.5
	return !c.until.IsZero() && c.now().Sub(c.start) > time.Duration(part*float64(c.until.Sub(c.start)))
}

// hardware returns options with an earlier deadline, for measuring kernels in hardware. It reserves time for a turn of
// each kernel on a core, but at most half of the remaining time.
func (c *clock) hardware(o Options) Options {
	if !c.until.IsZero() {
		left := max(0, c.until.Sub(c.now()))
		o.Until = c.until.Add(-min(left/2, time.Duration(max(0, c.to))*runsTime))
	}
	return o
}

// cut returns options with a recorded run that ends by the deadline of the calibration.
func (c *clock) cut(o Options) Options {
	if limit := c.limit(); !limit.IsZero() {
		o.Record = min(o.Record, max(0, limit.Sub(c.now())))
	}
	return o
}

// left returns an upper estimate of the remaining time.
func (c *clock) left() time.Duration {
	now := c.now()
	deadline := c.windowsEnd
	if deadline.IsZero() {
		to, builds := c.to, 0
		if to < 0 { // some kernels are not yet built
			to, builds = c.all, c.all
		}
		budget := c.budget
		if budget == 0 {
			budget = c.perRun * time.Duration(to)
		}
		deadline = c.start.Add(time.Duration(builds)*buildTime + time.Duration(to)*firstTime + budget)
	}
	if !c.until.IsZero() && (deadline.After(c.until) || c.budget == 0) {
		deadline = c.until
	}
	return max(0, deadline.Sub(now))
}
