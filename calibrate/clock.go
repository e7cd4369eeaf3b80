package calibrate

import (
	"context"
	"time"
)

// clock keeps a calibration to its time.
type clock struct {
	now        func() time.Time
	until      time.Time // of everything; zero for no limit
	last       time.Time // the deadline while kernels have their first runs and none has been measured
	some       bool      // whether they had, and one is
	budget     time.Duration
	perRun     time.Duration // of windows, when no budget is given
	windowsEnd time.Time     // of windows, once they are measured
	start      time.Time
	all        int           // kernels
	to         int           // kernels to measure, once that is known; else -1
	aside      time.Duration // for memory contention, measured after the windows
}

// Assumed times of a kernel until measured ones are available: its build, alone and with its neighbours on
// another core, and its first run.
const (
	buildTime    = 3 * time.Second
	firstTime    = 300 * time.Millisecond
	runsTime     = 2 * firstTime   // of a kernel: its first run, and one of its turns
	windowsTime  = 3 * time.Second // for each kernel, when no budget is given
	hardwareTime = 10 * time.Second
)

func newClock(o *Options, kernels int) clock {
	c := clock{now: o.now, start: o.now(), until: o.Until, last: o.Last, budget: o.Budget, perRun: windowsTime,
		all: kernels, to: -1}
	if o.Contention {
		c.aside = time.Duration(kernels+1) * contentionTime // and the probe
	}
	return c
}

// asidePart is the largest share of the remaining time that windows leave to measurements of memory contention.
const asidePart = 0.4

// built sets the number of kernels to measure.
func (c *clock) built(kernels int) { c.to = kernels }

// measuring starts the time of the windows.
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
		if end := c.until.Add(-min(c.aside, time.Duration(asidePart*float64(left)))); end.Before(c.windowsEnd) {
			c.windowsEnd = end
		}
	}
}

// limit returns the time limit, zero for none. It is later while no kernel is measured.
func (c *clock) limit() time.Time {
	if !c.some && c.last.After(c.until) && !c.until.IsZero() {
		return c.last
	}
	return c.until
}

// isOver reports whether the time for everything is over.
func (c *clock) isOver() bool {
	limit := c.limit()
	return !limit.IsZero() && !c.now().Before(limit)
}

// inTime runs a part of the calibration within the remaining time, and reports whether the time ended before
// the part was complete. Its missing results are omitted.
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

// withDeadline returns a context that ends at a time; zero for never.
func withDeadline(ctx context.Context, now func() time.Time, until time.Time) (context.Context, context.CancelFunc) {
	if until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, until.Sub(now()))
}

// full reports whether no further kernel should be built. It reserves time for the first run of each built
// kernel, at most half of all the time.
func (c *clock) full(built int) bool {
	if c.until.IsZero() || built == 0 {
		return c.isOver()
	}
	half := c.until.Sub(c.start) / 2
	return !c.now().Before(c.until.Add(-min(half, time.Duration(built)*runsTime)))
}

// slowdown returns the time of recording and building, relative to the estimate.
func (c *clock) slowdown(record time.Duration, built int) float64 {
	return float64(c.now().Sub(c.start)) / float64(record+time.Duration(built)*buildTime)
}

// late reports whether that is, or the time for windows.
func (c *clock) late() bool {
	return c.isOver() || !c.windowsEnd.IsZero() && !c.now().Before(c.windowsEnd)
}

// short reports whether the remaining time suffices only for windows of kernels alone, without the costs of
// crossing.
func (c *clock) short() bool {
	const part = 0.5
	return !c.until.IsZero() && c.now().Sub(c.start) > time.Duration(part*float64(c.until.Sub(c.start)))
}

// half returns options whose deadline is half of the remaining time away, so that kernels in hardware leave
// time to kernels on cores.
func (c *clock) half(o Options) Options {
	if !c.until.IsZero() {
		now := c.now()
		o.Until = now.Add(max(0, c.until.Sub(now)) / 2)
	}
	return o
}

// cut returns options whose recorded run ends with the time for everything.
func (c *clock) cut(o Options) Options {
	if limit := c.limit(); !limit.IsZero() {
		o.Record = min(o.Record, max(0, limit.Sub(c.now())))
	}
	return o
}

// left returns an upper estimate of the remaining time.
func (c *clock) left() time.Duration {
	now := c.now()
	end := c.windowsEnd
	if end.IsZero() {
		to, builds := c.to, 0
		if to < 0 { // not all are built
			to, builds = c.all, c.all
		}
		budget := c.budget
		if budget == 0 {
			budget = c.perRun * time.Duration(to)
		}
		end = c.start.Add(time.Duration(builds)*buildTime + time.Duration(to)*firstTime + budget)
	}
	if !c.until.IsZero() && (end.After(c.until) || c.budget == 0) {
		end = c.until
	}
	return max(0, end.Sub(now))
}
