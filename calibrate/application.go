package calibrate

import (
	"context"
	"fmt"
	"time"

	"xopt/calibrate/faults"
	"xopt/configs"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// Load reads an application from X files, with the given configs.
func Load(files []string, set map[string]string, o design.Options) (*design.Design, error) {
	p, _, err := xlang.Load(files, xlang.Options{Library: configs.Library(), Set: set})
	if err != nil {
		return nil, err
	}
	return design.New(p, o)
}

// LoadMeasured reads an application from X files, with the figures of a profile. If p is nil, it places all kernels on
// the first core.
func LoadMeasured(files []string, set map[string]string, p *profile.Profile) (*design.Design, error) {
	if p != nil {
		return Load(files, set, design.Options{Purpose: design.ForSearch,
			Profile:       design.FromProfile("profile of this run", p, nil),
			JoinTolerance: design.MeasuredJoinTolerance})
	}
	d, err := Load(files, set, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, err
	}
	d.Mapping = &flow.Mapping{Place: make([]int, len(d.Program.Kernels)), Route: make([][]int, len(d.Program.Edges))}
	return d, nil
}

// BuildFiles builds an application from X files, with the given configs. The function taps returns the taps to insert.
func BuildFiles(ctx context.Context, files []string, set map[string]string, o program.Options,
	taps func(*xlang.Program) []program.Tap) (*program.Program, error) {
	d, err := Load(files, set, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, err
	}
	if taps != nil {
		o.Taps = taps(d.Program)
	}
	return program.New(ctx, d, o, "")
}

// sinkFrames is the number of frames in a run. SinkRate ignores the first sinkWarmUp of them, in which caches and
// batches settle.
const (
	sinkFrames = 6
	sinkWarmUp = 1
)

// SinkRate runs a built application for the given time. It returns the input rate of the sinks in bytes/s, excluding
// the first frame.
func SinkRate(ctx context.Context, prog *program.Program, window time.Duration) (float64, error) {
	m, err := ranFor(ctx, prog, window, nil)
	if err != nil {
		return 0, err
	}
	return run.SinkRate(prog.Description(), m, sinkWarmUp)
}

// SinkTrace is like SinkRate, but writes the events of the run to a trace. The program must record events
// (program.Options.Events). The trace contains the first events of the run, without gaps. left is the number of further
// events, which are not recorded.
func SinkTrace(ctx context.Context, prog *program.Program, window time.Duration, to trace.Writer) (rate float64,
	left uint64, err error) {
	m, err := ranFor(ctx, prog, window, to)
	if err != nil {
		return 0, 0, err
	}
	if m.EventsError != nil {
		return 0, 0, fmt.Errorf("recording events: %w", m.EventsError)
	}
	for _, x := range m.Events.Left {
		left += x.Events
	}
	rate, err = run.SinkRate(prog.Description(), m, sinkWarmUp)
	return rate, left, err
}

// SinkRun is like SinkRate, and also returns the number of elements that the sinks received in the run.
func SinkRun(ctx context.Context, prog *program.Program, window time.Duration) (rate, elements float64, err error) {
	m, err := ranFor(ctx, prog, window, nil)
	if err != nil {
		return 0, 0, err
	}
	d := prog.Description()
	elements = sunk(d, m)
	rate, err = run.SinkRate(d, m, sinkWarmUp)
	if err == nil && elements == 0 {
		err = faults.NothingArrived.Errorf("no data reached the sinks within %s", units.Time(window.Seconds()))
	}
	return rate, elements, err
}

// sunk returns the number of elements that the sinks received.
func sunk(d *program.Description, m *run.Measurement) (elements float64) {
	for e := range d.Edges {
		if len(d.Kernels[d.Edges[e].To].Outputs) == 0 {
			elements += float64(m.Edges[e].Consumed())
		}
	}
	return elements
}

// ranFor runs a built application, which must not end before the given time. It writes the events to a trace unless to
// is nil.
func ranFor(ctx context.Context, prog *program.Program, window time.Duration, to trace.Writer) (*run.Measurement,
	error) {
	if err := prog.Renew(); err != nil {
		return nil, err
	}
	m, err := run.Once(ctx, prog, run.Options{Time: window, Frame: window / sinkFrames, Events: to})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case m.Failure == nil:
		return nil, faults.ApplicationEnded.Errorf("the application ended by itself after %s: use a longer --input, "+
			"or more --elements", units.Time(m.Seconds))
	case m.Failure.Kind != "stopped":
		return nil, fmt.Errorf("running the application: %w", m.Failure)
	}
	return m, nil
}

// between returns the time in seconds per firing for which a process executed no kernel, in all complete frames after
// the warm-up. It returns 0 if no kernel fired. The process must have its own processor, and must never wait for data.
func between(d *program.Description, m *run.Measurement, process int) float64 {
	rest, firings := 0.0, 0.0
	for i := range m.Frames {
		if i < sinkWarmUp || i == len(m.Frames)-1 { // the last frame ends early
			continue
		}
		f := &m.Frames[i]
		rest += f.End - f.Start
		for k := range f.Kernels {
			if d.Kernels[k].Process == process {
				rest -= f.Kernels[k].Worked
			}
		}
		for e := range f.Edges {
			if d.Kernels[d.Edges[e].To].Process == process {
				firings += float64(f.Edges[e].Consumed)
			}
		}
	}
	if firings == 0 {
		return 0
	}
	return max(0, rest) / firings
}
