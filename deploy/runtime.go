// Package deploy contains the sources of the C runtime, which is part of every program that runs a mapping. Its
// subpackages include:
//
//   - abi: the interface between the processes of a run and their supervisor;
//   - program: builds a program from a design with a mapping;
//   - run: runs a program under supervision, and measures it.
//
// The kernel API follows Gayen 2008 §2.2.1 (init, go, push, destroy), for arrays and with typed functions for each
// port. Its reference is runtime/X.h and the generated X_<BLOCK>.h. As in Gayen 2008, a process calls the go functions
// of its kernels in turn, and push when data has arrived.
package deploy

import (
	"embed"
	"fmt"

	"xopt/deploy/abi"
)

//go:embed runtime
var runtime embed.FS

// Templates contains the folder templates: the templates of the files that are generated for each application. These
// files are the tables that adapt the runtime to the application, and the typed functions of its blocks.
//
//go:embed templates
var Templates embed.FS

// RuntimeFiles returns the sources of the C runtime by name, including its shared headers.
func RuntimeFiles() (map[string]string, error) {
	layout, err := abi.LayoutH()
	if err != nil {
		return nil, err
	}
	ends, err := abi.EndsH()
	if err != nil {
		return nil, err
	}
	files := map[string]string{"layout.h": layout, "ends.h": ends}
	entries, err := runtime.ReadDir("runtime")
	if err != nil {
		return nil, fmt.Errorf("reading the runtime: %w", err)
	}
	for _, entry := range entries {
		text, err := runtime.ReadFile("runtime/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the runtime: %w", err)
		}
		files[entry.Name()] = string(text)
	}
	return files, nil
}
