package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"xopt/deploy/program"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/files/infile"
)

// sourceChecker finds what is missing of the kernels' sources, at the places of the X files
// that name them.
type sourceChecker struct {
	program *xlang.Program
	cache   *rtl.Cache
	missing map[string]bool // tools that were told of
	errors  xlang.Diagnostics
	notes   []string
	built   int // sources that compiled alone
}

// checkSources checks the sources that X files name: that they are there and can be read, and,
// with build, that they compile alone and define what their blocks need.
func (a *app) checkSources(ctx context.Context, p *xlang.Program, build bool) error {
	c := sourceChecker{program: p, missing: make(map[string]bool)}
	inC := make(map[string]*xlang.Impl)
	for i := range p.Impls {
		impl := &p.Impls[i]
		if impl.Attrs["src"].Text != "" && inC[impl.Block] == nil && design.IsCorePlatform(p, impl.Platform) {
			inC[impl.Block] = impl
		}
		if impl.Attrs["src"].Text == "" || !c.readable(impl) || !build {
			continue
		}
		k := slices.IndexFunc(p.Kernels, func(k xlang.Kernel) bool { return k.Block == impl.Block })
		if k < 0 {
			c.notes = append(c.notes, fmt.Sprintf("block %s has no instance: its source was not compiled", impl.Block))
			continue
		}
		switch {
		case design.IsCorePlatform(p, impl.Platform):
			if err := c.compile(ctx, impl); err != nil {
				return err
			}
		case design.IsFPGAPlatform(p, impl.Platform):
			if err := c.open(ctx, impl, &p.Kernels[k]); err != nil {
				return err
			}
		}
	}
	c.names(inC)
	for _, n := range c.notes {
		a.note("note: %s", n)
	}
	if build && len(c.errors) == 0 {
		a.note("compiled the sources of %d implementations, each alone: no error", c.built)
	}
	return c.err()
}

// checkMapped checks the sources that a mapping runs: that they are there and can be read.
func checkMapped(d *design.Design) error {
	c := sourceChecker{program: d.Program}
	checked := make(map[*xlang.Impl]bool)
	inC := make(map[string]*xlang.Impl)
	for k := range d.Program.Kernels {
		platform := d.Program.Resources[d.Mapping.Place[k]].Platform
		impl := d.Program.Implementation(d.Program.Kernels[k].Block, d.Program.Ancestors(platform))
		if impl != nil && !checked[impl] {
			checked[impl] = true
			c.readable(impl)
		}
		if impl != nil && design.IsCorePlatform(d.Program, platform) {
			inC[impl.Block] = impl
		}
	}
	c.names(inC)
	return c.err()
}

// names refuses names that the sources in C cannot have, at the sources that need them.
func (c *sourceChecker) names(inC map[string]*xlang.Impl) {
	for _, f := range program.NameFaults(c.program, inC) {
		c.add(inC[f.Block], "src", f.Text, f.Hint)
	}
}

// err renders the errors that were found; nil without any.
func (c *sourceChecker) err() error {
	if len(c.errors) == 0 {
		return nil
	}
	return renderedWith(c.errors, func(file string) []byte {
		text, err := infile.Read(file, maxStatements)
		if err != nil {
			return nil // the place is told, its line is not
		}
		return text
	})
}

// add adds an error at the source that an implementation names.
func (c *sourceChecker) add(impl *xlang.Impl, attribute, message, hint string) {
	c.errors = append(c.errors, xlang.Diagnostic{Pos: impl.Attrs[attribute].Pos, Message: message, Hint: hint})
}

// readable reports whether all files of an implementation are there and can be read.
func (c *sourceChecker) readable(impl *xlang.Impl) bool {
	good := true
	for i, path := range impl.Sources() {
		attribute := "src"
		if i > 0 {
			attribute = "with"
		}
		if err := readableFile(path); err != nil {
			c.add(impl, attribute, fmt.Sprintf("the source of block %s cannot be read: %v", impl.Block, err),
				"relative names are to the folder of the X file")
			good = false
		}
	}
	return good
}

// readableFile says why a file cannot be read.
func readableFile(path string) error {
	f, err := infile.Open(path)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	} else if err != nil {
		return err
	}
	return f.Close()
}

// count counts a source that compiled.
func (c *sourceChecker) count(err error) {
	if err == nil {
		c.built++
	}
}

// compile compiles a source in C or C++, and looks whether it defines what its block needs.
func (c *sourceChecker) compile(ctx context.Context, impl *xlang.Impl) error {
	object, err := program.CompileBlock(ctx, c.program, impl.Block, impl)
	c.count(err)
	var failed *program.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failed):
		message, more := firstError(failed.Output)
		c.add(impl, "src", fmt.Sprintf("the source of block %s does not compile: %s", impl.Block, message), more)
		return nil
	case err != nil:
		return fmt.Errorf("compiling the source of block %s: %w", impl.Block, err)
	}
	if missing := program.Undefined(object, c.program, impl.Block); len(missing) > 0 {
		c.add(impl, "src", fmt.Sprintf("%s does not define %s, which block %s needs", impl.Source(),
			strings.Join(missing, ", "), impl.Block), `in C++ they are extern "C"; none may be static`)
	}
	return nil
}

// open reads a source in Verilog or VHDL, and looks whether it has the streams of its block.
func (c *sourceChecker) open(ctx context.Context, impl *xlang.Impl, kernel *xlang.Kernel) error {
	if c.cache == nil {
		c.cache = rtl.UserCache(ctx)
	}
	m, err := xsim.OpenSource(ctx, c.cache, impl, kernel)
	c.count(err)
	var lacks *rtl.MissingError
	var failed *rtl.ToolError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &lacks):
		if !c.missing[lacks.Tool] {
			c.missing[lacks.Tool] = true
			c.notes = append(c.notes, fmt.Sprintf("sources for FPGAs were not compiled: %v", lacks))
		}
		return nil
	case errors.As(err, &failed):
		message, more := firstError(failed.Output)
		c.add(impl, "src", fmt.Sprintf("the source of block %s does not compile: %s", impl.Block, message), more)
		return nil
	case err != nil:
		c.add(impl, "src", fmt.Sprintf("the source of block %s: %v", impl.Block, err), "")
		return nil
	}
	for _, side := range []struct {
		input bool
		ports []xlang.Port
	}{{true, kernel.Inputs}, {false, kernel.Outputs}} {
		for _, port := range side.ports {
			if _, _, err := m.Words(port.Name, side.input, int(port.ElementBytes)); err != nil {
				c.add(impl, "src", fmt.Sprintf("the source of block %s: %v", impl.Block, err), "")
			}
		}
	}
	return nil
}

// complaint is what compilers say of an error: gcc, clang, verilator, ghdl.
var complaint = regexp.MustCompile(`(?m)^.*(?:error:|%Error).*$`)

// firstError is the first error that a compiler says of, and how many more there are.
func firstError(output string) (message, more string) {
	all := complaint.FindAllString(output, -1)
	if len(all) == 0 {
		message, _, _ = strings.Cut(strings.TrimSpace(output), "\n")
		return message, ""
	}
	if n := len(all) - 1; n > 0 {
		more = fmt.Sprintf("and %d more errors of the compiler", n)
	}
	return strings.TrimSpace(all[0]), more
}
