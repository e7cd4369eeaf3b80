// Package design converts X files ([xlang.Program]), a measured profile and the overrides of the command line to the
// input of the model and the search. This input is a [flow.Problem], [flow.Constraints] and, if the files contain one,
// a [flow.Mapping]. It also writes mappings back as X code.
//
// The package interprets the values that package xlang only stores:
//   - the configs of platforms and linktypes (sharing, area, bandwidth)
//   - the attributes of figures (mu, time, interval, gain, scv, areas, from)
//   - routes, maps and constraints
//
// # Allowed resources of a kernel
//
// A kernel may run on a resource if the resource's platform, or an ancestor of the platform, has an implementation of
// the kernel's block. The kernel may also run on the resource if a figure names both. A figure implies an
// implementation, because a measurement requires an implementation.
//
// # Choice of a figure
//
// The builder looks up every attribute separately. The command line overrides the X files, and the X files override the
// profile. In the X files, a statement that names the instance overrides a statement that names the block. Among the
// statements for one instance or block, a resource overrides an array of resources, and an array overrides the nearest
// platform. Two different statements of equal rank are an error.
//
// Gain and routing belong to a kernel and not to its resource, because the kernel's output is the same on every
// resource. Gains that differ between resources are an error.
//
// Every figure has an origin: the first word of its `from` attribute (measured, simulated, published or assumed), and
// the complete text as a note. A figure without `from` is assumed. In a profile, figures of hardware have the origin
// simulated, because they come from simulations.
package design

import (
	"context"
	"fmt"

	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Design is an application on an architecture, ready for predictions and searches.
type Design struct {
	Program     *xlang.Program
	Problem     *flow.Problem
	Constraints *flow.Constraints

	// Mapping is the mapping in the files, with the route of every edge. Mapping is nil if the files do not place every
	// kernel, or are contradictory; [Design.Unmapped] then contains the reason.
	Mapping *flow.Mapping
	// Place is the resource of each kernel that the files place; -1 for other kernels.
	Place []int
	// Unmapped contains the reasons why Mapping is nil, each with its remedy on a separate line. Unmapped is empty if
	// Mapping is not nil.
	Unmapped []string

	// Buffers contains the buffer sizes in the files, in elements, by edge.
	Buffers map[int]int

	// Missing lists the missing figures that a search would need, if the purpose is [ForCheck], [ForRun] or
	// [ForDeploy]. For other purposes, missing figures are errors and Missing is empty.
	Missing []Missing

	// Stale contains figures of the profile whose sources have changed since the measurement. Unchecked contains
	// figures for which a change is unknown. Mismatched contains kernels on FPGAs whose results differ from the results
	// on a core. All three contain only entries that are relevant for the purpose.
	Stale, Unchecked, Mismatched []Doubt
	// StaleByPoint reports whether figures are stale because a point of a sweep changes their configs.
	StaleByPoint bool
	// Disturbed describes the disturbance of the machine during the measurement of the profile; "" for none.
	Disturbed string
	// MismatchAllowed is [Options.AllowMismatch].
	MismatchAllowed bool

	// These maps contain the stale rates by kernel and resource, and the stale gains and routing by kernel, with the
	// reasons.
	staleRates                map[pair]string
	staleGains, staleRoutings map[int]string
	measure                   string // the command that measures the profile's figures
	profileNote               string

	state stateFigures // dependence of figures on the state of the machine

	// Warnings contains possible mistakes that the user should check. Notes explains how xopt interprets the files.
	Warnings, Notes []fault.Note
}

// Purpose is the use of a design. The purpose determines the required figures.
type Purpose uint8

// These are the purposes of a design.
const (
	// ForSearch needs the figures of every kernel on every resource that may run it. It ignores map statements; `fix`
	// statements constrain the search.
	ForSearch Purpose = iota
	// ForMapping needs a complete mapping, and the figures that the mapping uses.
	ForMapping
	// ForCheck needs no figures, and lists the missing figures.
	ForCheck
	// ForRun is like ForCheck, for commands that run or measure kernels. It does not report unknown areas, because
	// these commands use no areas.
	ForRun
	// ForDeploy is like ForRun, and needs a complete mapping.
	ForDeploy
)

// Options contains the inputs in addition to the X files. The zero value is ready to use.
type Options struct {
	Purpose Purpose
	// Profile is the source of figures that the X files do not state; it may be nil.
	Profile *Measured
	// AllowMismatch permits kernels on FPGAs even if, according to the profile, their results differ from the results
	// on a core.
	AllowMismatch bool
	// Overrides override all other figures; the last override of a figure wins.
	Overrides []Override
	// MaxUtilization is φ, in (0, 1]; 0 means [flow.DefaultMaxUtilization].
	MaxUtilization float64
	// JoinTolerance is [flow.Problem.JoinTolerance].
	JoinTolerance float64
	// Sharing is the rule of every time-shared core and link, "conserving" or "equal". Sharing overrides the files,
	// unless it is "".
	Sharing string

	// Files are the X files in the command that measures missing figures; empty for the placeholders APP ARCH.
	Files []string
	// Set contains the configs set on the command line, in shell syntax, for the command that measures missing figures.
	Set []string
	// Varied contains the configs that a sweep sets at the current point, in the same syntax.
	Varied []string
}

// New converts a program to a design. The error is an [xlang.Diagnostics] that contains all mistakes, with their
// positions in the X files.
func New(prog *xlang.Program, opt Options) (*Design, error) {
	return NewContext(context.Background(), prog, opt)
}

// NewContext is like [New], but returns the context's error when ctx is done.
func NewContext(ctx context.Context, prog *xlang.Program, opt Options) (*Design, error) {
	d, err := build(ctx, prog, opt)
	if err != nil || opt.Purpose == ForSearch || opt.Purpose == ForRun {
		return d, err
	}
	return balance(ctx, prog, opt, d)
}

// build converts a program with the numbers of batches that its mapping states.
func build(ctx context.Context, prog *xlang.Program, opt Options) (*Design, error) {
	prog, err := Copied(prog, opt.Purpose)
	if err != nil {
		return nil, err
	}
	b := newBuilder(prog, opt)
	b.ctx = ctx
	for _, steps := range [][]func(){
		{b.options, b.resources, b.ownClocks, b.links, b.kernels, b.routing, b.constraints, b.place, b.figures, b.gains,
			b.firings, b.instances, b.findCopyCosts, b.maps, b.copies, b.buffers},
		{b.missing, b.doubts},
		{b.widths, b.adjustRates, b.memories, b.classes, b.validate},
	} {
		for _, step := range steps {
			if step(); ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if err := b.diag.err(); err != nil {
			return nil, err
		}
	}
	return b.d, nil
}

// Copied returns the program with one kernel per copy in its mapping ([xlang.Program.Replicate]). The copies on one
// FPGA are one kernel ([xlang.Program.Instantiate]). Copied returns prog for ForSearch, because a search chooses the
// copies, and for ForRun, because each kernel is measured only once.
func Copied(prog *xlang.Program, purpose Purpose) (*xlang.Program, error) {
	if purpose == ForSearch || purpose == ForRun {
		return prog, nil
	}
	copied, err := prog.Instantiate(func(r int) bool { return IsFPGA(prog, r) })
	if err == nil {
		copied, err = copied.Replicate()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot copy kernels: %w", err)
	}
	return copied, nil
}

// builder contains the state of New.
type builder struct {
	ctx  context.Context // of the call to NewContext
	prog *xlang.Program
	opt  Options
	d    *Design
	p    *flow.Problem
	diag collector

	in, out [][]int          // edges of each kernel
	byName  map[string][]int // kernels by name
	byBlock map[string][]int // kernels by block
	allowed [][]bool         // by kernel and resource: whether the constraints permit the placement
	stated  []statement
	// directions contains, for each declared link, its links in the model: one for a half-duplex link, several for a
	// full-duplex link.
	directions [][]int
	bufferAt   map[int]xlang.Pos // positions of the buffer statements, by edge
	byKernel   [][]int           // kernel -> indices into stated

	// These are the stated figures of each kernel on each resource. firings converts times to rates, and gains checks
	// gainsStated.
	times, gainsStated [][]figure
	gainConflicts      map[xlang.Pos]bool // positions of stated gains and routes that were already reported

	standings   map[pair]standing // doubtful figures of the profile
	routed      map[int]bool      // kernels with routing from the profile
	routes      map[string][]int  // routes for a kernel or a block
	clocks      []float64         // by resource: stated clock in Hz, including drift; 0 if none is stated
	drifts      []float64         // by resource: factor on its clock
	crossings   map[pair]float64  // maximum bytes/s of kernels whose words cross clock domains in an FPGA
	bases       map[pair]*base    // rates measured at a clock, or in several copies
	drifting    map[pair]bool     // stated rates on resources with a drifting clock
	copyCosts   map[int]batchCost
	widthLimits map[pair]widthLimit
	noArea      []pair              // kernels without area figures on resources with limited area
	dropped     []string            // kernels whose measured costs are unused, because the measured rate is unused
	lacking     []Missing           // by kernel
	chosen      map[choice][]string // edges without a route in the mapping, by their routes
	crossed     []int               // number of edges of a mapping on each link
	lackLinks   []Missing
}

func newBuilder(prog *xlang.Program, opt Options) *builder {
	b := &builder{prog: prog, opt: opt, p: &flow.Problem{
		MaxUtilization: opt.MaxUtilization,
		JoinTolerance:  opt.JoinTolerance,
	}}
	b.d = &Design{Program: prog, Problem: b.p, Buffers: make(map[int]int)}
	if opt.Profile != nil {
		b.d.state.reference = opt.Profile.Reference()
	}
	b.in = make([][]int, len(prog.Kernels))
	b.out = make([][]int, len(prog.Kernels))
	for e, edge := range prog.Edges {
		b.out[edge.From] = append(b.out[edge.From], e)
		b.in[edge.To] = append(b.in[edge.To], e)
	}
	b.byName, b.byBlock = make(map[string][]int), make(map[string][]int)
	for k, kernel := range prog.Kernels {
		b.byName[kernel.Name] = append(b.byName[kernel.Name], k)
		if declared := kernel.Declared(); declared != kernel.Name {
			b.byName[declared] = append(b.byName[declared], k)
		}
		b.byBlock[kernel.Block] = append(b.byBlock[kernel.Block], k)
	}
	b.lacking = make([]Missing, len(prog.Kernels))
	b.gainConflicts = make(map[xlang.Pos]bool)
	b.bases, b.crossings, b.chosen = make(map[pair]*base), make(map[pair]float64), make(map[choice][]string)
	b.drifting = make(map[pair]bool)
	b.copyCosts, b.widthLimits = make(map[int]batchCost), make(map[pair]widthLimit)
	return b
}

func (b *builder) warnf(id fault.ID, format string, args ...any) {
	b.d.Warnings = append(b.d.Warnings, id.Notef(format, args...))
}

func (b *builder) notef(id fault.ID, format string, args ...any) {
	b.d.Notes = append(b.d.Notes, id.Notef(format, args...))
}

// isSource reports whether a kernel has no in-edges.
func (b *builder) isSource(k int) bool { return len(b.in[k]) == 0 }

// isSink reports whether a kernel has no out-edges.
func (b *builder) isSink(k int) bool { return len(b.out[k]) == 0 }
