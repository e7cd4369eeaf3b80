package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"xopt/cmd/faults"
	"xopt/cmd/internal/settings"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// buffersOf sets the buffer sizes of a run and their limits of growth.
func (f *deployCommand) buffersOf(ctx context.Context, o *program.Options, d *design.Design, files []string) error {
	if f.Buffers == "" && f.given("buffers") {
		return fault.WrongValue("buffers", f.Buffers, settings.ValidBuffers)
	}
	var err error
	if o.Growth, err = f.Growth(); err != nil {
		return err
	}
	if f.Buffers == settings.BuffersRaftLib {
		o.Growth.Policy, o.Growth.Fixed = program.GrowWhenBlocked, slices.Sorted(maps.Keys(d.Buffers))
	}
	o.Buffers, err = f.bufferSizes(ctx, d, files, f.Buffers)
	return err
}

// bufferSizes returns the sizes of edges in elements, according to --buffers. Sizes from a file override the sizes in X
// files. Otherwise, the result omits edges with a size in the X files.
func (a *app) bufferSizes(ctx context.Context, d *design.Design, files []string, which string) (map[int]int, error) {
	stated := func(e, _ int) bool { _, ok := d.Buffers[e]; return ok }
	switch which {
	case "", settings.BuffersDefault:
		return nil, nil
	case settings.BuffersTuned:
		if d.Mapping == nil {
			return nil, nil // deploying reports the reason
		}
		full, err := a.design(ctx, files, design.ForMapping)
		if err != nil {
			return nil, faults.FiguresMissing.Errorf("--buffers %s needs figures of all kernels and links: %w",
				which, err)
		}
		sized, err := predict.Size(ctx, full, full.Mapping)
		if err != nil {
			return nil, fmt.Errorf("--buffers %s: %w", which, err)
		}
		sizes, err := sized.Tuned()
		if err != nil {
			return nil, fmt.Errorf("--buffers %s: %w", which, err)
		}
		kept := len(sizes)
		maps.DeleteFunc(sizes, stated)
		kept -= len(sizes)
		switch {
		case kept > 0 && len(sizes) == 0:
			a.noteID(faults.BufferKept, "warning: --buffers %s has no effect: the X files state the sizes of all %s "+
				"(to use the recommended sizes, remove their buffer statements)", which, buffersCount(kept))
		case kept > 0:
			a.noteID(faults.BufferKept, "note: --buffers %s keeps the sizes that the X files state for %s",
				which, buffersCount(kept))
		}
		return sizes, nil
	case settings.BuffersRaftLib:
		sizes := program.RaftLibSizes(d)
		maps.DeleteFunc(sizes, stated)
		return sizes, nil
	}
	return a.sizesFrom(ctx, d, files, which)
}

// buffersCount returns a number of buffers in words.
func buffersCount(n int) string {
	return units.Counted(n, "buffer", "buffers")
}

// sizesFrom reads the buffer statements in a file and ignores its other content, such as a mapping. A note counts the
// sizes that differ from the sizes in the X files.
func (a *app) sizesFrom(ctx context.Context, d *design.Design, files []string, path string) (map[int]int, error) {
	if err := infile.Check(path); err != nil {
		return nil, fault.WrongValue("buffers", path, settings.ValidBuffers+": %s", fault.Plain(err))
	}
	for _, f := range files {
		if infile.Same(f, path) { // the design already contains its sizes
			if len(d.Buffers) == 0 {
				return nil, faults.NoBufferStatement.Usagef("--buffers: %s has no statement such as buffer { e } = 64;",
					path)
			}
			return nil, nil
		}
	}
	p, source, err := a.programs(ctx, append(files[:len(files):len(files)], path), true)
	if err != nil {
		return nil, err
	}
	given, isThere := *p, func(at xlang.Pos) bool { return infile.Same(at.File, path) }
	given.Maps = slices.DeleteFunc(slices.Clone(p.Maps), func(m xlang.Map) bool { return isThere(m.Pos) })
	given.Buffers = slices.DeleteFunc(slices.Clone(p.Buffers), func(b xlang.Buffer) bool { return !isThere(b.Pos) })
	if len(given.Buffers) == 0 {
		return nil, faults.NoBufferStatement.Usagef("--buffers: %s has no statement such as buffer { e } = 64;", path)
	}
	sized, err := design.New(&given, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, rendered(err, source)
	}
	other := 0
	for e, n := range sized.Buffers {
		if x, ok := d.Buffers[e]; ok && x != n {
			other++
		}
	}
	if other > 0 {
		a.noteID(faults.BufferOverridden, "note: --buffers %s overrides the sizes that the X files state for %s",
			path, buffersCount(other))
	}
	return sized.Buffers, nil
}

// writeRunMap writes the mapping of a run for --write-map. The map file contains the given buffer sizes and the sizes
// after growth.
func (f *deployCommand) writeRunMap(r *result.Result, d *design.Design, given map[int]int) error {
	if f.WriteMap == "" {
		return nil
	}
	sized := (&program.Options{Buffers: given}).Sized(d)
	sizes := maps.Clone(sized.Buffers)
	grown := ""
	for _, g := range r.Measured.Buffers.Last() {
		e := slices.IndexFunc(d.Program.Edges, func(x xlang.Edge) bool { return x.Name == g.Edge })
		if e >= 0 {
			sizes[e] = g.To
			grown += fmt.Sprintf("\nThe buffer of %s grew from %d to %d elements during the run.", g.Edge, g.From, g.To)
			if n := r.Prediction.RecommendedOf(g.Edge); n > g.To {
				sizes[e] = n
				grown += fmt.Sprintf(" This file states the larger recommended size, %d elements.", n)
			}
		}
	}
	header := fmt.Sprintf("Run by: %s\nwith xopt %s%s", safetext.ShellLine(r.Command), version(), grown)
	return output.WriteFile(f.WriteMap, func(w io.Writer) error {
		return d.WriteMapping(w, d.Mapping, sizes, header)
	})
}
