// Package apps holds applications with real kernels, in C and some in Verilog as well. Each is a
// folder with X files, the sources of its kernels and, where a paper describes it, a README.md.
// The tests deploy them in many mappings: what they compute must not depend on the mapping.
package apps

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"xopt/internal/scratch"
)

//go:embed blastn broadcast chain des jpeg laplace ring synthetic test1 veritas
var files embed.FS

// Files returns the applications, each in a folder of its name.
func Files() fs.FS { return files }

// Unpack writes the files of an application to a new temporary folder and returns that. Who calls it
// removes the folder.
func Unpack(app string) (string, error) {
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return "", fmt.Errorf("making a folder for %s: %w", app, err)
	}
	sub, err := fs.Sub(files, app)
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpacking %s: %w", app, err), os.RemoveAll(dir))
	}
	return dir, nil
}
