package federate

import (
	"embed"
	"errors"
	"fmt"

	"xopt/internal/deploy"
	"xopt/internal/deploy/abi"
)

//go:embed federate.cpp fail.h reader.h samples.h border.h agent.h
var sources embed.FS

// Main is the file of the program that the others are included by.
const Main = "federate.cpp"

// Sources returns the C++ of the program by name. The model of the hardware is not among them:
// Vk.h, which Verilator makes, streams.h and record.h.
func Sources() (map[string]string, error) {
	files := map[string]string{"script.h": ScriptH(), "layout.h": abi.LayoutH(), "ends.h": abi.EndsH()}
	runtime, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	if files["pause.h"] = runtime["pause.h"]; files["pause.h"] == "" {
		return nil, errors.New("the runtime has no pause.h")
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
