package micro

import (
	"context"

	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/flow/xlang"
)

// buildFolder builds an application that apps.Unpack has written, with configs set.
func buildFolder(ctx context.Context, dir string, set map[string]string, o program.Options,
	taps func(*xlang.Program) []program.Tap) (*program.Program, error) {
	o.Elements = 1 << 60 // it is stopped
	return calibrate.BuildFiles(ctx, dir, []string{"app.x", "arch.x", "map.x"}, set, o, taps)
}
