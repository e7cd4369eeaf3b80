// Package hdl owns the Verilog of this program: streams between kernels on an FPGA
// (queues, converters of width, forks, and what has copies of a kernel take turns), taps that look on at them
// and count (Lancaster 2011 §4.3), what a host talks with on a board (board), and what FPGAs on a network
// measure with: a common time, the latency of the ways between them, and what packets pass (net; Rafii
// 2021, ch. 3; README.md). All of it is Verilog-2005, with the $fatal of SystemVerilog where a
// parameter is not what it may be, and without primitives of any vendor.
//
// It owns as well what crosses from there to the other languages: the records that the agent of the
// taps sends, and what it is told (AgentRecord), and the figures of each kind of tap (TapKind). The
// agent and the header of the simulation in C++ are made from them.
//
// It stands beside package calibrate: what taps count becomes figures of a profile.
// Nothing here runs tools; tests hold every module against a model in a test bench.
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

// Files returns the Verilog, by folder.
func Files() fs.FS { return files }

// Write writes all of the Verilog to a folder, without folders of its own, and returns the paths.
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
