// Package hdl owns the Verilog of this program: streams between kernels on an FPGA
// (queues, converters of width, forks), and taps that look on at them and
// count (Lancaster 2011 §4.3). All of it is Verilog-2005 without primitives of any
// vendor.
//
// It stands beside package calibrate: what taps count becomes figures of a profile.
// Nothing here runs tools; tests hold every module against a model in a test bench.
package hdl

import (
	"embed"
	"io/fs"
)

//go:embed stream tap agent
var files embed.FS

// Files returns the Verilog, by folder.
func Files() fs.FS { return files }
