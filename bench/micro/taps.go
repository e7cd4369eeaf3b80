package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"xopt/bench/apps"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/trace"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// TapsOptions configures [Taps].
type TapsOptions struct {
	Pairs  int           // number of runs of each variant
	Window time.Duration // duration of each run
	Bytes  int           // bytes per message; 0 for all cases
	// Progress, if not nil, is called before the measurement of each case.
	Progress func(done, all int)
}

// TapsCase is the result of [Taps] for one message size and amount of work.
type TapsCase struct {
	Bytes int     // bytes per message
	Work  float64 // µs of computation in each of the nine middle kernels
	// Base is the input rate of the sink without taps, in bytes/s.
	Base profile.Median
	// Loss is the relative loss of throughput of each variant, compared with the run without taps in the same round.
	Loss [tapVariants]profile.Median
	// Kept is the fraction of a run's events that the trace contains.
	Kept profile.Median
}

// The compared variants.
const (
	tapsNone      = iota // compiled without taps
	tapsControl          // compiled without taps again, to measure noise
	tapsRequested        // rate and occupancy histogram of every edge, sampled about every 300 µs
	tapsStandard         // the default of xopt deploy, with latencies and service times
	tapsEvery            // occupancy of every element
	tapsTrace            // every event in a trace file
	tapVariants
)

// TapsVariants returns the names of the variants.
func TapsVariants() [tapVariants]string {
	return [tapVariants]string{"no taps", "no taps again", "rate, occupancy histogram", "+ latency, service time",
		"occupancy of every element", "every event in a trace"}
}

// occupancyTaps returns a function that returns an occupancy tap with a histogram for each edge. Rates need no taps.
func occupancyTaps(every uint64) func(*xlang.Program) []program.Tap {
	return func(p *xlang.Program) []program.Tap {
		var taps []program.Tap
		for e := range p.Edges {
			taps = append(taps, program.Tap{Kind: program.Occupancy, Edge: e, Every: every, Histogram: &program.Bins{}})
		}
		return taps
	}
}

// Taps measures the cost of taps for the chain of Lancaster 2011 §4.7.2: eleven kernels on two cores. Runs of all
// variants are interleaved. Each run is compared with the run without taps in the same round.
func Taps(ctx context.Context, o TapsOptions) (_ []TapsCase, err error) {
	dir, err := apps.Unpack("chain")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cases := []TapsCase{{Bytes: 2048 * 8}, {Bytes: 8192 * 8}, {Bytes: 64}, {Bytes: 64, Work: 1}}
	if o.Bytes > 0 {
		all := cases
		cases = slices.DeleteFunc(cases, func(c TapsCase) bool { return c.Bytes != o.Bytes })
		if len(cases) == 0 {
			return nil, fmt.Errorf("unknown message size of %d bytes, expected %d, %d or %d bytes", o.Bytes,
				all[0].Bytes, all[1].Bytes, all[2].Bytes)
		}
	}
	for i := range cases {
		if o.Progress != nil {
			o.Progress(i, len(cases))
		}
		if err := cases[i].measure(ctx, dir, o); err != nil {
			return nil, fmt.Errorf("measuring messages of %d bytes: %w", cases[i].Bytes, err)
		}
	}
	return cases, nil
}

func (c *TapsCase) measure(ctx context.Context, dir string, o TapsOptions) (err error) {
	set := map[string]string{"top.words": fmt.Sprint(c.Bytes / 8), "top.work": fmt.Sprint(c.Work), "top.most": "1"}
	taps := [tapVariants]func(*xlang.Program) []program.Tap{
		tapsRequested: occupancyTaps(0), tapsEvery: occupancyTaps(1),
		tapsStandard: func(p *xlang.Program) []program.Tap { return program.StandardTaps(p, 0) },
	}
	var programs [tapVariants]*program.Program
	for v := range programs {
		if programs[v], err = buildFolder(ctx, dir, set, program.Options{Events: v == tapsTrace}, taps[v]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, programs[v].Remove()) }()
	}
	var rates, losses [tapVariants][]float64
	var kept []float64
	for pair := range o.Pairs {
		var now [tapVariants]float64
		for v := range calibrate.Alternating(pair, len(programs)) {
			if v == tapsTrace {
				part := 0.0
				now[v], part, err = tracedRate(ctx, programs[v], o.Window, dir)
				kept = append(kept, part)
			} else {
				now[v], err = calibrate.SinkRate(ctx, programs[v], o.Window)
			}
			if err != nil {
				return err
			}
		}
		for v := range programs {
			rates[v] = append(rates[v], now[v])
			losses[v] = append(losses[v], 1-now[v]/now[tapsNone])
		}
	}
	c.Base, c.Kept = profile.MedianOf(rates[tapsNone]), profile.MedianOf(kept)
	for v := range programs {
		c.Loss[v] = profile.MedianOf(losses[v])
	}
	return nil
}

// tracedRate runs a program and records its events in a file, like deploy --trace. It returns the rate into the sink in
// bytes/s, and the fraction of the events in the file.
func tracedRate(ctx context.Context, prog *program.Program, window time.Duration, dir string) (rate, kept float64,
	err error) {
	file, err := trace.Create(filepath.Join(dir, "events.xtrace"))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Abort()) }() // nobody reads the file
	w := &countingWriter{FileWriter: file}
	rate, left, err := calibrate.SinkTrace(ctx, prog, window, w)
	if err != nil {
		return 0, 0, err
	}
	return rate, float64(w.events) / float64(max(w.events+left, 1)), nil
}

// countingWriter writes events to a file, and counts them.
type countingWriter struct {
	*trace.FileWriter
	events uint64
}

// Write implements trace.Writer.
func (w *countingWriter) Write(events []trace.Event) error {
	w.events += uint64(len(events)) // writes are not concurrent
	return w.FileWriter.Write(events)
}
