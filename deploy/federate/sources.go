package federate

import (
	"embed"
	"fmt"

	"xopt/deploy"
)

// The sources are in a folder without Go files, because a build with cgo would reject them there.
//
//go:embed cpp
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
	files := make(map[string]string)
	runtime, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	for _, shared := range []string{"layout.h", "ends.h", "pause.h", "meet.h"} {
		if files[shared] = runtime[shared]; files[shared] == "" {
			return nil, fmt.Errorf("the runtime has no %s", shared)
		}
	}
	entries, err := sources.ReadDir("cpp")
	if err != nil {
		return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
	}
	for _, entry := range entries {
		text, err := sources.ReadFile("cpp/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the simulation of FPGAs: %w", err)
		}
		files[entry.Name()] = string(text)
	}
	files["script.h"] = script
	return files, nil
}
