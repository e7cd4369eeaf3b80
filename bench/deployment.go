package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"xopt/bench/apps"
	"xopt/configs"
	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/scratch"
	"xopt/internal/xlang"
)

// unpack writes the files of an application to a folder and returns it.
func unpack(app string) (string, error) { return unpackFrom(apps.Files(), app) }

// unpackFrom writes the files of a folder of from to a new folder and returns that.
func unpackFrom(from fs.FS, app string) (string, error) {
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", app, err)
	}
	sub, err := fs.Sub(from, app)
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpacking %s: %w", app, err), os.RemoveAll(dir))
	}
	return dir, nil
}

// buildFolder builds an application that unpack has written, with configs set.
func buildFolder(ctx context.Context, dir string, set map[string]string, o build.Options,
	taps func(*xlang.Program) []build.Tap) (*build.Program, error) {
	o.Elements = 1 << 60 // it is stopped
	return buildFiles(ctx, dir, []string{"app.x", "arch.x", "map.x"}, set, o, taps)
}

// buildFiles builds an application from some of its files.
func buildFiles(ctx context.Context, dir string, files []string, set map[string]string, o build.Options,
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

// warmUpFrames is how many of measureFrames frames are left out at the start of a
// run, while caches and batches settle.
const (
	measureFrames = 6
	warmUpFrames  = 1
)

// rate runs a built application and returns the bytes/s into its sinks, over all
// frames of a run but the first.
func rate(ctx context.Context, prog *build.Program, window time.Duration) (float64, error) {
	if err := prog.Renew(); err != nil {
		return 0, err
	}
	m, err := run.Once(ctx, prog, run.Options{Time: window, Frame: window / measureFrames})
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if m.Failure == nil || m.Failure.Kind != "stopped" {
		return 0, fmt.Errorf("the application has ended by itself: %v", m.Failure)
	}
	return run.SinkRate(prog.Description(), m, warmUpFrames)
}
