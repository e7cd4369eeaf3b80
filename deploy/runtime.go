package deploy

import (
	"embed"
	"fmt"

	"xopt/deploy/abi"
)

//go:embed runtime
var runtime embed.FS

// Templates contains the templates of the files that are generated for each application, from the folder templates.
// They are the tables that turn the runtime into this application, and the typed functions of its blocks.
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
