package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/internal/deploy/build"
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
	return calibrate.BuildFiles(ctx, dir, []string{"app.x", "arch.x", "map.x"}, set, o, taps)
}
