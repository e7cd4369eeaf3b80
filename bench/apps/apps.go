// Package apps holds applications with real kernels, in C and some in Verilog as well. Each is a
// folder with X files, the sources of its kernels and, where a paper describes it, a README.md.
// The tests deploy them in many mappings: what they compute must not depend on the mapping.
package apps

import (
	"embed"
	"io/fs"
)

//go:embed blastn broadcast chain des jpeg laplace ring synthetic test1 veritas
var files embed.FS

// Files returns the applications, each in a folder of its name.
func Files() fs.FS { return files }
