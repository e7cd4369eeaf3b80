// Package hdl contains the Verilog of xopt. Its parts are:
//
//   - streams between kernels on an FPGA: queues, width converters, forks, and the splitters and joiners of copies;
//   - taps that count the words of a stream or a queue (Lancaster 2011 §4.3);
//   - the registers with which a host controls a board (board);
//   - measurement between FPGAs on a network: a common time, link latencies and packets (net; Rafii 2021, ch. 3;
//     README.md).
//
// All modules are Verilog-2005 without vendor primitives. The only exception is $fatal of SystemVerilog, which rejects
// invalid parameters.
//
// The package also defines the records and commands of the agent (AgentRecord), and the figures of each kind of tap
// (TapKind). From these definitions, xopt generates the agent's Verilog constants and the simulation's C++ header.
//
// Package calibrate converts the counts of taps to figures of a profile. Package hdl runs no tools. Its tests compare
// each module with a model in a test bench.
package hdl

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed stream tap agent board net
var files embed.FS

// Files returns the Verilog sources, in folders by purpose.
func Files() fs.FS { return files }

// Write writes all Verilog sources to one folder, without subfolders, and returns their paths.
func Write(dir string) ([]string, error) {
	var paths []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		paths = append(paths, filepath.Join(dir, path.Base(name)))
		return os.WriteFile(paths[len(paths)-1], text, 0o644)
	})
	if err != nil {
		return nil, fmt.Errorf("writing the Verilog of xopt: %w", err)
	}
	return paths, nil
}
