package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// BuffersOptions configures [Buffers].
type BuffersOptions struct {
	Runs   int           // number of runs of each method
	Window time.Duration // duration of each run
	Budget time.Duration // time for measuring the kernels of each application
	Graphs int           // number of random applications in addition to the bundled applications
	Apps   []string      // names of the bundled applications to use; nil for all
	Seed   uint64        // seed of the random applications
	// Progress, if not nil, is called before the measurement of each case.
	Progress func(done, all int)
}

// The compared methods of sizing buffers.
const (
	buffersDefault = iota // 256 KiB per buffer
	buffersAgain          // 256 KiB per buffer again, to measure noise
	buffersTuned          // recommended sizes
	buffersRaftLib        // sizes according to RaftLib
	BufferWays
)

// BuffersWays returns the names of the methods of sizing buffers.
func BuffersWays() [BufferWays]string {
	return [BufferWays]string{"default", "default again", "tuned", "raftlib"}
}

// BuffersCase is the result of [Buffers] for one application.
type BuffersCase struct {
	Name    string
	AtSinks bool // rates are measured at the sinks (see BuffersWay.Rate)
	Kernels int
	Edges   int
	Ways    [BufferWays]BuffersWay
	Fail    string // reason why the case could not be measured; "" if it was measured
}

// BuffersWay is the result of one method for one application.
type BuffersWay struct {
	// Rate is the rate in bytes/s at which kernels consumed the output of the sources, excluding the start of each run.
	// If buffers were still filling with any of the methods, it is the input rate of the sinks.
	Rate profile.Median
	// Memory is the maximum total size of all buffers during a run, in bytes.
	Memory profile.Median
	// P99 is the 99 % quantile of the latency in s, over all runs, of the source-sink pair with the largest quantile.
	// It is nil if no pair has enough samples.
	P99 *float64
	// RateOver and MemoryOver are ratios to the values of the default sizes in the same round. P99Over is the ratio to
	// the P99 of the default sizes; nil if either is unknown.
	RateOver, MemoryOver profile.Median
	P99Over              *float64
	Grown                int    // number of buffers that grew, in all runs
	Hung                 string // description of a run that stopped making progress; "" for none
}

// Buffers compares methods of sizing the buffers of applications, in interleaved runs.
func Buffers(ctx context.Context, o BuffersOptions) ([]BuffersCase, error) {
	subjects := bufferSubjects(o)
	var cases []BuffersCase
	for i := range subjects {
		if o.Progress != nil {
			o.Progress(i, len(subjects))
		}
		c := BuffersCase{Name: subjects[i].name}
		if err := c.measure(ctx, &subjects[i], o); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c.Fail = err.Error()
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// measure runs one application with the buffer sizes of each method.
func (c *BuffersCase) measure(ctx context.Context, s *bufferSubject, o BuffersOptions) (err error) {
	dir, err := s.unpack()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := s.design(dir, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return err
	}
	c.Kernels, c.Edges = len(d.Program.Kernels), len(d.Program.Edges)
	p, _, err := calibrate.Calibrate(ctx, d, calibrate.Options{Budget: o.Budget, Record: time.Second})
	if err != nil {
		return fmt.Errorf("measuring its kernels: %w", err)
	}
	existing, err := s.design(dir, design.Options{Purpose: design.ForMapping, Profile: design.FromProfile("", p, nil),
		JoinTolerance: design.MeasuredJoinTolerance})
	if err != nil {
		return err
	}
	sized, err := predict.Size(ctx, existing, existing.Mapping)
	if err != nil {
		return err
	}
	tuned, err := sized.Tuned()
	if err != nil {
		return err
	}
	grows := program.Growth{MaxBytes: bufferLimit, AtLeastStart: true}
	blocked := grows
	blocked.Policy = program.GrowWhenBlocked
	options := [BufferWays]program.Options{buffersDefault: {Growth: grows}, buffersAgain: {Growth: grows},
		buffersTuned:   {Buffers: tuned, Growth: grows},
		buffersRaftLib: {Buffers: program.RaftLibSizes(d), Growth: blocked}}
	var programs [BufferWays]*program.Program
	for w := range programs {
		options[w].Elements = 1 << 60 // more than a run sends
		options[w].Taps, _ = program.PathTaps(d.Program, 0)
		if programs[w], err = program.New(ctx, d, options[w], ""); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, programs[w].Remove()) }()
	}
	return c.turns(ctx, programs, o)
}

// bufferLimit is the maximum memory of all buffers in bytes.
const bufferLimit = 1 << 30

// turns runs the programs of all methods in rounds, and computes their results.
func (c *BuffersCase) turns(ctx context.Context, programs [BufferWays]*program.Program, o BuffersOptions) error {
	var all [BufferWays]buffersRuns
	var turns [][BufferWays]buffersRun
	for turn := range o.Runs {
		var now [BufferWays]buffersRun
		for w := range calibrate.Alternating(turn, len(programs)) {
			var err error
			if now[w], err = runBuffers(ctx, programs[w], o.Window); err != nil {
				return err
			}
			c.AtSinks = c.AtSinks || now[w].filling
		}
		turns = append(turns, now)
	}
	for _, now := range turns {
		for w := range now {
			now[w].rate = now[w].atSources
			if c.AtSinks {
				now[w].rate = now[w].atSinks
			}
		}
		for w := range now {
			all[w].add(&now[w], &now[buffersDefault])
		}
	}
	for w := range all {
		c.Ways[w] = all[w].way()
		if beside := c.Ways[buffersDefault].P99; beside != nil && c.Ways[w].P99 != nil {
			excess := *c.Ways[w].P99 / *beside
			c.Ways[w].P99Over = &excess
		}
	}
	return nil
}

// buffersRun is the result of one run.
type buffersRun struct {
	rate, memory       float64
	atSources, atSinks float64 // bytes/s
	filling            bool    // buffers were still filling
	paths              []run.TapMeasurement
	grown              int
	hung               string
}

// buffersRuns contains the results of all runs of one method.
type buffersRuns struct {
	rate, memory, rateOver, memoryOver []float64
	paths                              []run.TapMeasurement
	grown                              int
	hung                               string
}

func (r *buffersRuns) add(x, beside *buffersRun) {
	r.rate, r.memory = append(r.rate, x.rate), append(r.memory, x.memory)
	r.rateOver, r.memoryOver = append(r.rateOver, x.rate/beside.rate), append(r.memoryOver, x.memory/beside.memory)
	if r.paths == nil {
		r.paths = make([]run.TapMeasurement, len(x.paths))
	}
	for i := range x.paths {
		r.paths[i].Bins = x.paths[i].Bins
		r.paths[i].Total.Add(&x.paths[i].Total)
	}
	r.grown += x.grown
	if r.hung == "" {
		r.hung = x.hung
	}
}

func (r *buffersRuns) way() BuffersWay {
	return BuffersWay{Rate: profile.MedianOf(r.rate), Memory: profile.MedianOf(r.memory), P99: slowestP99(r.paths),
		RateOver: profile.MedianOf(r.rateOver), MemoryOver: profile.MedianOf(r.memoryOver), Grown: r.grown,
		Hung: r.hung}
}

// buffersFrames is the number of frames of a run. buffersWarmUp is the number of frames ignored at its start.
const (
	buffersFrames = 6
	buffersWarmUp = 1
)

// runBuffers runs a program once.
func runBuffers(ctx context.Context, built *program.Program, window time.Duration) (buffersRun, error) {
	if err := built.Renew(); err != nil {
		return buffersRun{}, err
	}
	m, err := run.Once(ctx, built, run.Options{Time: window, Frame: window / buffersFrames})
	if err != nil {
		return buffersRun{}, err
	}
	if ctx.Err() != nil {
		return buffersRun{}, ctx.Err()
	}
	x := buffersRun{memory: float64(m.Buffers.Max), paths: m.Taps, grown: len(m.Buffers.Grown)}
	x.atSources, x.atSinks, x.filling = consumedRates(built.Description(), m)
	if m.Failure != nil && m.Failure.Kind != "stopped" {
		x.hung = m.Failure.Text
	}
	return x, nil
}

// A buffer is filling if more than the fraction fillPart of the sent elements remain in it, and if at least
// fillElements elements were sent.
const (
	fillElements = 1000
	fillPart     = 0.01
)

// consumedRates returns the rates in B/s at which kernels consumed the output of the sources, and sinks their input. It
// excludes the warm-up. filling reports whether buffers were still filling.
func consumedRates(d *program.Description, m *run.Measurement) (sources, sinks float64, filling bool) {
	frames := m.Frames
	if len(frames) > buffersWarmUp+1 {
		frames = frames[buffersWarmUp:]
	}
	for e := range d.Edges {
		x := &d.Edges[e]
		var sent, consumed float64
		for i := range frames {
			sent, consumed = sent+float64(frames[i].Edges[e].Sent), consumed+float64(frames[i].Edges[e].Consumed)
		}
		filling = filling || sent >= fillElements && sent-consumed > fillPart*sent
		from := &d.Kernels[x.From]
		if from.IsSource() && !from.Once && !x.IsCopy {
			sources += consumed * float64(x.ElementBytes)
		}
		if d.Kernels[x.To].IsSink() {
			sinks += consumed * float64(x.ElementBytes)
		}
	}
	elapsed := frames[len(frames)-1].End - frames[0].Start
	return sources / elapsed, sinks / elapsed, filling
}

// slowestP99 returns the largest 99 % quantile of all source-sink pairs, or nil if no pair has enough samples.
func slowestP99(paths []run.TapMeasurement) *float64 {
	var maximum *float64
	for i := range paths {
		t := &paths[i]
		d := &result.Distribution{Samples: t.Total.Samples, Elements: t.Total.Weight, Min: t.Total.Min,
			Max: t.Total.Max}
		for b, n := range t.Total.Histogram {
			d.Bins = append(d.Bins, result.Bin{From: t.Bins.From(b), To: t.Bins.From(b + 1), Elements: n})
		}
		if q := d.TailQuantile(0.99); q != nil && (maximum == nil || *q > *maximum) {
			maximum = q
		}
	}
	return maximum
}
