package federate

import (
	"embed"
	"fmt"

	"xopt/internal/deploy"
)

//go:embed federate.cpp fail.h reader.h samples.h border.h agent.h
var sources embed.FS

// Main is the file of the program that the others are included by.
const Main = "federate.cpp"

// Sources returns the C++ of the program by name. The model of the hardware is not among them:
// Vk.h, which Verilator makes, streams.h and record.h.
func Sources() (map[string]string, error) {
	script, err := ScriptH()
	if err != nil {
		return nil, err
	}
	files := map[string]string{"script.h": script}
	runtime, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	for _, shared := range []string{"layout.h", "ends.h", "pause.h"} {
		if files[shared] = runtime[shared]; files[shared] == "" {
			return nil, fmt.Errorf("the runtime has no %s", shared)
		}
	}
	entries, err := sources.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
	}
	for _, entry := range entries {
		text, err := sources.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
		}
		files[entry.Name()] = string(text)
	}
	return files, nil
}
