package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"xopt/bench/apps"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
)

// SchedulersOptions configures [Schedulers].
type SchedulersOptions struct {
	Short bool // fewer cases and short windows
	Note  func(text string)
}

// SchedulerCase is the result for a number of processes on one core with one of Linux's schedulers (Beard 2013 §5.1).
// Each process counts repetitions of 20 µs of work.
type SchedulerCase struct {
	Scheduler program.Scheduler
	Processes int
	// Alone is the rate of a single process in counts/s: the median of the runs before and after. Rates contains the
	// rates of the processes that run together.
	Alone float64
	Rates []float64
	Fail  string
}

// Errors returns (modeled - observed) / observed for each process. The modeled rate (Eq. 9) is the rate of a single
// process divided by the number of processes.
func (c *SchedulerCase) Errors() []float64 {
	var errs []float64
	for _, r := range c.Rates {
		if r > 0 {
			errs = append(errs, c.Alone/float64(c.Processes)/r-1)
		}
	}
	return errs
}

// Schedulers measures the rates of 1 to 40 processes on one core with each scheduler, as in Fig. 14 of Beard 2013.
func Schedulers(ctx context.Context, o SchedulersOptions) (_ []SchedulerCase, err error) {
	counts, window, rounds := []int(nil), time.Second, 5.0
	for n := 1; n <= 40; n++ {
		if n <= 4 || n%4 == 0 || !o.Short && n%2 == 0 {
			counts = append(counts, n)
		}
	}
	if o.Short {
		counts, window, rounds = []int{1, 2, 5}, 300*time.Millisecond, 1
	}
	dir, err := apps.Unpack("synthetic")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	speed := apps.WorkSpeed()
	var cases []SchedulerCase
	for _, s := range []program.Scheduler{program.SchedulerOther, program.SchedulerBatch, program.SchedulerRR} {
		for _, n := range counts {
			if o.Note != nil {
				o.Note(fmt.Sprintf("%d processes on a core, scheduler %s", n, s))
			}
			length := max(window, time.Duration(n)*100*time.Millisecond) // several time slices of each process
			if s == program.SchedulerRR {                                // time slices are 100 ms
				length = max(window, time.Duration(rounds*float64(n)*0.1*float64(time.Second)))
			}
			c, err := processes(ctx, dir, speed, SchedulerCase{Scheduler: s, Processes: n},
				[2]time.Duration{window, length})
			if err != nil {
				return cases, fmt.Errorf("measuring %d processes under %s: %w", n, s, err)
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// processesX returns the X code of n working sources on proc[1] and their sink on proc[2]. speed is the speed of the
// processor in rounds per µs.
func processesX(n int, speed float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"blocks.x\"\n#include \"arch.x\"\nblock top {\n    Burner b[%d] (speed=%.17g);\n"+
		"    Sink sink (words=1, ins=%d);\n", n, speed, n)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "    e%d: b[%d].y -> sink.x[%d];\n", i, i, i)
	}
	b.WriteString("};\nuse top;\nmap { top.b[*] } to proc[1];\nmap { top.sink } to proc[2];\n")
	return b.String()
}

// processes measures the rates of a case's processes together, and of a single process before and after. windows
// contains the duration for the single process and for all processes.
func processes(ctx context.Context, dir string, speed float64, c SchedulerCase,
	windows [2]time.Duration) (SchedulerCase, error) {
	run := func(n int, window time.Duration) (rates []float64, err error) {
		file := filepath.Join(dir, "processes.x")
		if err := os.WriteFile(file, []byte(processesX(n, speed)), 0o644); err != nil {
			return nil, fmt.Errorf("writing an application: %w", err)
		}
		p, err := calibrate.BuildFiles(ctx, []string{file}, nil, program.Options{Style: program.PerKernel,
			Wait: program.WaitBlock, Scheduler: c.Scheduler, CPUs: 2, Elements: math.MaxInt64}, nil)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.Remove()) }()
		m, err := run.Well(ctx, p, run.Options{Time: window})
		if err != nil {
			return nil, err
		}
		for e := range m.Edges {
			rates = append(rates, m.Edges[e].ElementRate)
		}
		return rates, nil
	}
	before, err := run(1, windows[0])
	if err == nil {
		c.Rates, err = run(c.Processes, windows[1])
	}
	var after []float64
	if err == nil {
		after, err = run(1, windows[0])
	}
	if err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		c.Fail, c.Rates = err.Error(), nil // this process may lack the permission for the scheduler
		return c, nil
	}
	c.Alone = (before[0] + after[0]) / 2
	return c, nil
}
