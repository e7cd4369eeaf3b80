package validate

import (
	"cmp"
	"context"
	"math"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
)

// moreRuns is the maximum number of runs of a mapping whose runs disagree, in multiples of the requested number.
const moreRuns = 3

// settled reports whether most of the valid runs are near their median. The other runs were then disturbed.
func (c *Case) settled() bool {
	const near = 0.02
	runs := c.undisturbedTimes()
	if len(c.Slowed) == len(c.Runs) && !c.enoughGood() {
		return false
	}
	m, agree := median(runs), 0
	for _, r := range runs {
		if math.Abs(r-m) <= near*m {
			agree++
		}
	}
	return 3*agree >= 2*len(runs)
}

// complete reports whether a case needs no further runs.
func (c *Case) complete(o Options) bool {
	return c.Fail != "" || len(c.Runs) >= o.rounds() || len(c.Runs) >= o.Runs && c.settled()
}

// enoughGood reports whether enough of the runs were undisturbed.
func (c *Case) enoughGood() bool {
	n := 0
	for i := range c.Slowed {
		if c.good(i) {
			n++
		}
	}
	return n >= min(fewestGood, len(c.Runs))
}

// machine tracks the usual speed of the machine.
type machine struct {
	spins profile.Steadiness
	drawn bool // service times are random, and no run is timed on this machine
	// virtual reports that all kernels run in virtual time, so that other programs have no influence.
	virtual      bool
	hasReference bool      // the reference load in a run measures the speed of the machine
	again        func()    // called before a run is repeated
	until        time.Time // no run is repeated after this time; zero for no limit
}

// repeats is the maximum number of repetitions of a run if the machine was slow.
const repeats = 5

// run runs a program. It repeats the run if the machine was slow or the steady part was too short: at most repeats
// times, and not after s.until. It reports whether other programs were busy during the returned run, and whether the
// machine was disturbed for any reason.
func (s *machine) run(ctx context.Context, p *program.Program, o Options, c *Case) (_ *run.Measurement, crowded,
	disturbed bool, _ error) {
	for try := 0; ; try++ {
		spin := 0.0
		if !s.hasReference && !s.drawn {
			spin = profile.ReferenceSpin()
		}
		watch := profile.NewWatch()
		m, err := run.Once(ctx, p, o.limits())
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, false, false, err
		}
		slow := false
		if spin > 0 {
			slow = s.spins.Slow(max(spin, profile.ReferenceSpin()))
		}
		load := watch.Foreign()
		text := load.Disturbance()
		crowded = !s.drawn && !s.virtual && text != ""
		if crowded && load.Processors() > c.Others {
			c.Others, c.Disturbance = load.Processors(), text
		}
		kept := s.drawn || !slow && !starved(m)
		if kept || try == repeats || !s.until.IsZero() && time.Now().After(s.until) {
			return m, crowded, crowded || !kept, nil
		}
		c.Repeated++
		s.again()
	}
}

// starved reports whether a run lasted for its complete window, and was still too short to judge. The machine may then
// have been busy with other work.
func starved(m *run.Measurement) bool {
	return m.Failure != nil && m.Failure.Kind == "stopped" && m.Steady != nil && m.Steady.Short != ""
}
