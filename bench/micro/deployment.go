package micro

import (
	"context"

	"xopt/calibrate"
	"xopt/internal/deploy/build"
	"xopt/internal/xlang"
)

// buildFolder builds an application that apps.Unpack has written, with configs set.
func buildFolder(ctx context.Context, dir string, set map[string]string, o build.Options,
	taps func(*xlang.Program) []build.Tap) (*build.Program, error) {
	o.Elements = 1 << 60 // it is stopped
	return calibrate.BuildFiles(ctx, dir, []string{"app.x", "arch.x", "map.x"}, set, o, taps)
}
