package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/calibrate/faults"
	runfaults "xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/internal/fault"
)

// record runs the application once, and writes the data of each edge to a file. It returns the files by edge. kernels
// contains the volumes of each kernel in this run.
func record(ctx context.Context, d *design.Design, o Options, dir string, report *Report) (_ []string,
	kernels []recorded, err error) {
	var taps []program.Tap
	for e := range d.Program.Edges {
		size := int(d.Program.Kernels[d.Program.Edges[e].From].Outputs[d.Program.Edges[e].FromPort].ElementBytes)
		taps = append(taps, program.Tap{Kind: program.Record, Edge: e, Bytes: max(o.EdgeBytes, size)})
	}
	prog, err := program.New(ctx, d, program.Options{Input: o.Input, Output: o.Sink, Elements: o.Elements, Taps: taps,
		Guard: o.Guard}, "")
	if err != nil {
		return nil, nil, fmt.Errorf("recording: %w", err)
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	m, err := run.Once(ctx, prog, run.Options{Time: o.Record})
	if err != nil {
		return nil, nil, fmt.Errorf("recording: %w", err)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		return nil, nil, fmt.Errorf("recording the data of the edges: %w", f)
	}
	empty := func(t run.TapMeasurement) bool { return len(t.Recorded) == 0 }
	if len(m.Unreturned) > 0 && slices.ContainsFunc(m.Taps, empty) {
		return nil, nil, fmt.Errorf("recording the data of the edges: %w", nothingMoved(m,
			"half of "+o.Record.String()))
	}
	if err := hang(ctx, prog, m, o.Record/2); err != nil {
		return nil, nil, fmt.Errorf("recording the data of the edges: %w", err)
	}
	report.Warnings = append(report.Warnings, slices.DeleteFunc(m.Warnings, func(w fault.Note) bool {
		return w.ID != runfaults.EmitDiffers
	})...)
	cut := 0
	files := make([]string, len(taps))
	for k := range d.Program.Kernels {
		kernels = append(kernels, recordedOf(d.Program, k, d.Program.SentOnce()[k], d.Program.Copies(), m))
	}
	for e := range taps {
		data := m.Taps[e].Recorded
		if len(data) == 0 {
			continue
		}
		edge := &d.Program.Edges[e]
		out := d.Program.Kernels[edge.From].Outputs[edge.FromPort]
		if uint64(len(data)) < m.Edges[e].Elements*uint64(out.ElementBytes) {
			cut++
			kernels[edge.To].cut = true
		}
		start, err := program.StartElements(d.Program, e)
		if err != nil {
			return nil, nil, fmt.Errorf("recording: %w", err)
		}
		data = append(start, data...)
		files[e] = filepath.Join(dir, fmt.Sprintf("edge%d", e))
		if err := os.WriteFile(files[e], data, 0o644); err != nil {
			return nil, nil, fmt.Errorf("writing the data of edge %s: %w", d.Program.Edges[e].Name, err)
		}
	}
	if cut > 0 {
		report.Notes = append(report.Notes, faults.RecordCut.Notef("%d of %d edges carried more than %d MiB in the "+
			"recorded run. Calibration uses only the first part of their data", cut, len(taps), o.EdgeBytes>>20))
	}
	return files, kernels, nil
}

// minHang is the minimum time without progress that counts as a hang. On a busy machine, a kernel may wait for a
// processor for some tenths of a second.
const minHang = 2 * time.Second

// hang repeats a run that made no progress for the time stall. It returns an error if a kernel hangs again.
func hang(ctx context.Context, prog *program.Program, m *run.Measurement, stall time.Duration) error {
	if len(m.Unreturned) == 0 {
		return nil
	}
	stall = max(stall, minHang)
	again, err := run.Once(ctx, prog, run.Options{Time: 2 * stall, Stall: stall})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	if f := again.Failure; f == nil || f.Kind != "hang" && len(again.Unreturned) == 0 {
		return nil // a process that only waits for a processor does not count as hung before the time limit
	}
	return nothingMoved(m, stall.String())
}

// nothingMoved returns the error for a run without progress. The error names the kernels that did not return.
func nothingMoved(m *run.Measurement, long string) error {
	return faults.NothingMoved.Errorf("no progress for %s: %s (if a kernel needs longer for one element, increase "+
		"--record)", long, strings.Join(m.Unreturned, "; "))
}

// NewSink returns the absolute path of the sinks' output file. It returns an error for a folder or a nonempty regular
// file, because the sinks overwrite the file repeatedly.
func NewSink(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return "", fault.Usage(fmt.Errorf("--sink %s: %w", path, err))
		}
	case err != nil:
		return "", fault.Usage(fmt.Errorf("--sink %s: %w", path, err))
	case info.IsDir() || info.Mode().IsRegular() && info.Size() > 0:
		return "", faults.SinkExists.Usagef("--sink %s already exists; name a new file: sinks write to it "+
			"repeatedly, and calibration removes it at the end", path)
	}
	return filepath.Abs(path)
}

// RemoveSink removes the output file of sinks, unless it is a device.
func RemoveSink(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(path) // ignore a file that cannot be removed
	}
}
