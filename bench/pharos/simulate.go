// Package pharos repeats the experiments of Rafii 2021, ch. 4, with the Verilog of hdl/net. It simulates FPGAs with
// their own clocks cycle by cycle, and the network between them in virtual time. Therefore, other programs on the
// machine do not affect the results. The true time is known in the simulation, so that the results include the errors
// of the clocks that pPTP synchronizes. The thesis could not measure these errors.
//
// The thesis publishes the drift of clocks between two synchronizations (Fig. 4.3), round-trip latencies at full load
// (Table 4.1), and the counts of traffic monitors (4.4.2). The network has a link from each FPGA to a switch and a link
// back. The switch has a queue before each output. The thesis states only the total latency, so that the latencies of
// the parts are chosen to match it (see oneWay, way and loaded).
//
// Package rtl builds the simulations, which need Verilator.
package pharos

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/files/scratch"
)

//go:embed rtl harness
var files embed.FS

// Bench runs the experiments with the built simulations.
type Bench struct{ clock, traffic string } // paths of the programs

// New builds the simulations, unless they are in the cache.
func New(ctx context.Context, cache *rtl.Cache) (*Bench, error) {
	clock, err := program(ctx, cache, "pharos_clock", "clock.cpp")
	if err != nil {
		return nil, err
	}
	traffic, err := program(ctx, cache, "pharos_traffic", "traffic.cpp")
	if err != nil {
		return nil, err
	}
	return &Bench{clock, traffic}, nil
}

// program builds the simulation of a module, and returns the path of its program.
func program(ctx context.Context, cache *rtl.Cache, top, main string) (_ string, err error) {
	what := "building the simulation of " + top
	dir, err := scratch.Dir("", scratch.RTL)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	source := rtl.Source{Top: top}
	for _, from := range []struct {
		fs   fs.FS
		glob string
	}{{files, "rtl/" + top + ".v"}, {hdl.Files(), "net/*.v"}, {hdl.Files(), "stream/*.v"}} {
		written, err := copyTo(dir, from.fs, from.glob)
		if err != nil {
			return "", fmt.Errorf("%s: %w", what, err)
		}
		source.Files = append(source.Files, written...)
	}
	m, err := cache.Open(ctx, source)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	h := rtl.Harness{Main: main, Files: make(map[string]string)}
	for _, name := range []string{main, "options.h", "network.h"} {
		text, err := files.ReadFile("harness/" + name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", what, err)
		}
		h.Files[name] = string(text)
	}
	return cache.Program(ctx, m, h)
}

// copyTo writes the files of a file system that match a pattern to a folder, without subfolders. It returns their
// paths.
func copyTo(dir string, from fs.FS, glob string) (written []string, err error) {
	names, err := fs.Glob(from, glob)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		written = append(written, filepath.Join(dir, path.Base(name)))
		if err := os.WriteFile(written[len(written)-1], text, 0o600); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// arguments contains the command-line arguments of an experiment, by name.
type arguments map[string]string

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func flag(x bool) string {
	if x {
		return "1"
	}
	return "0"
}

// numbers formats a list with one value per FPGA as text.
func numbers(list []float64) string {
	var text []string
	for _, x := range list {
		text = append(text, number(x))
	}
	return strings.Join(text, ",")
}

// run runs the program of an experiment, and parses its output into result.
func run(ctx context.Context, path, what string, a arguments, result any) error {
	var args []string
	for key, value := range a {
		args = append(args, key+"="+value)
	}
	var out, output bytes.Buffer
	c := exec.CommandContext(ctx, path, args...)
	c.Stdout, c.Stderr = &out, &output
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
		return fmt.Errorf("%s: %w: %s", what, err, strings.TrimSpace(output.String()))
	}
	figures := json.NewDecoder(&out)
	figures.DisallowUnknownFields()
	if err := figures.Decode(result); err != nil {
		return fmt.Errorf("%s: reading the output of the simulation: %w", what, err)
	}
	return nil
}

// Spread contains the number, minimum, maximum, mean and root mean square of samples.
type Spread struct {
	N                   uint64
	Min, Max, Mean, RMS float64
}

// with returns the spread of two sets of samples together.
func (s Spread) with(o Spread) Spread {
	switch {
	case s.N == 0:
		return o
	case o.N == 0:
		return s
	}
	n, m := float64(s.N), float64(o.N)
	return Spread{N: s.N + o.N, Min: min(s.Min, o.Min), Max: max(s.Max, o.Max),
		Mean: (n*s.Mean + m*o.Mean) / (n + m), RMS: rms(n, s.RMS, m, o.RMS)}
}
