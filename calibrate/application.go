package calibrate

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"xopt/configs"
	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// BuildFiles builds an application from X files of a folder, with configs set, and with the taps
// that taps makes for it.
func BuildFiles(ctx context.Context, dir string, files []string, set map[string]string, o build.Options,
	taps func(*xlang.Program) []build.Tap) (*build.Program, error) {
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, f))
	}
	p, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library(), Set: set})
	if err != nil {
		return nil, err
	}
	d, err := design.New(p, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, err
	}
	if taps != nil {
		o.Taps = taps(p)
	}
	return build.New(ctx, d, o, "")
}

// sinkWarmUp is how many of sinkFrames frames SinkRate leaves out at the start of a run, while
// caches and batches settle.
const (
	sinkFrames = 6
	sinkWarmUp = 1
)

// SinkRate runs a built application for a time and returns the bytes/s into its sinks, over all
// frames of the run but the first.
func SinkRate(ctx context.Context, prog *build.Program, window time.Duration) (float64, error) {
	if err := prog.Renew(); err != nil {
		return 0, err
	}
	m, err := run.Once(ctx, prog, run.Options{Time: window, Frame: window / sinkFrames})
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if m.Failure == nil || m.Failure.Kind != "stopped" {
		return 0, fmt.Errorf("the application has ended by itself: %v", m.Failure)
	}
	return run.SinkRate(prog.Description(), m, sinkWarmUp)
}
