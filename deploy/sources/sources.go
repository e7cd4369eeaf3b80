// Package sources checks that the sources of kernels are readable, compile alone, and define the functions of their
// blocks.
package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// Checked is the result of checking sources.
type Checked struct {
	Errors xlang.Diagnostics // at the positions in X files that name the sources
	Notes  []fault.Note
	Built  int // number of sources that compiled
}

// checker checks the kernels' sources.
type checker struct {
	Checked
	program *xlang.Program
	cache   *rtl.Cache
	missing map[string]bool // missing tools that an error has already named
}

// Check checks that the sources named by X files are readable.
func Check(p *xlang.Program) *Checked {
	c := checker{program: p}
	inC := make(map[string]*xlang.Impl)
	for i := range p.Impls {
		impl := &p.Impls[i]
		if impl.Attrs["src"].Text == "" {
			continue
		}
		if inC[impl.Block] == nil && design.IsCorePlatform(p, impl.Platform) {
			inC[impl.Block] = impl
		}
		c.readable(impl)
	}
	c.names(inC)
	return &c.Checked
}

// Build performs the checks of Check, and also compiles each source alone.
func Build(ctx context.Context, p *xlang.Program) (*Checked, error) {
	c := checker{program: p, missing: make(map[string]bool)}
	for i := range p.Impls {
		impl := &p.Impls[i]
		if impl.Attrs["src"].Text == "" || !(&checker{program: p}).readable(impl) {
			continue
		}
		k := slices.IndexFunc(p.Kernels, func(k xlang.Kernel) bool { return k.Block == impl.Block })
		if k < 0 {
			c.Notes = append(c.Notes, faults.SourceNotCompiled.Notef("xopt did not compile the source of block %s, "+
				"because the application has no instance of the block", impl.Block))
			continue
		}
		var err error
		switch {
		case design.IsCorePlatform(p, impl.Platform):
			err = c.compile(ctx, impl)
		case design.IsFPGAPlatform(p, impl.Platform):
			err = c.open(ctx, impl, &p.Kernels[k])
		}
		if err != nil {
			return nil, err
		}
	}
	c.Errors = append(Check(p).Errors, c.Errors...)
	return &c.Checked, nil
}

// CheckFor checks that a command with the given purpose can read the sources that it runs. For commands that run no
// sources it checks nothing.
func CheckFor(d *design.Design, purpose design.Purpose) *Checked {
	switch purpose {
	case design.ForRun:
		return Check(d.Program)
	case design.ForDeploy:
		return CheckMapped(d)
	}
	return &Checked{}
}

// CheckMapped checks that the sources of a mapping's kernels are readable.
func CheckMapped(d *design.Design) *Checked {
	c := checker{program: d.Program}
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
	return &c.Checked
}

// names reports names that are invalid in C, at the sources of their blocks.
func (c *checker) names(inC map[string]*xlang.Impl) {
	for _, f := range program.NameFaults(c.program, inC) {
		c.add(faults.WrongSource, inC[f.Block], "src", f.Text, f.Hint)
	}
}

// add adds an error at the position where an implementation names its source.
func (c *checker) add(id fault.ID, impl *xlang.Impl, attribute, message, hint string) {
	c.Errors = append(c.Errors, xlang.Diagnostic{ID: id, Pos: impl.Attrs[attribute].Pos, Message: message, Hint: hint})
}

// readable reports whether all files of an implementation exist and are readable.
func (c *checker) readable(impl *xlang.Impl) bool {
	good := true
	for i, path := range impl.Sources() {
		attribute := "src"
		if i > 0 {
			attribute = "with"
		}
		if err := readableFile(path); err != nil {
			c.add(faults.SourceUnreadable, impl, attribute, fmt.Sprintf("cannot read the source of block %s: %v",
				impl.Block, err), "relative names refer to the folder of the X file")
			good = false
		}
	}
	return good
}

// readableFile returns an error if a file cannot be read.
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

// count increments Built if err is nil.
func (c *checker) count(err error) {
	if err == nil {
		c.Built++
	}
}

// compile compiles a source in C or C++, and checks that it defines the functions that its block needs.
func (c *checker) compile(ctx context.Context, impl *xlang.Impl) error {
	object, err := program.CompileBlock(ctx, c.program, impl.Block, impl)
	c.count(err)
	var failed *program.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failed):
		message, more := firstError(failed.Output)
		c.add(faults.WrongSource, impl, "src", fmt.Sprintf("the source of block %s does not compile: %s",
			impl.Block, message), more)
		return nil
	case err != nil:
		return fmt.Errorf("compiling the source of block %s: %w", impl.Block, err)
	}
	if missing := program.Undefined(object, c.program, impl.Block); len(missing) > 0 {
		c.add(faults.WrongSource, impl, "src", fmt.Sprintf("%s does not define %s, which block %s needs", impl.Source(),
			strings.Join(missing, ", "), impl.Block), `declare these functions extern "C" in C++, and none static`)
	}
	return nil
}

// open reads a source in Verilog or VHDL, and checks whether it has the streams of its block.
func (c *checker) open(ctx context.Context, impl *xlang.Impl, kernel *xlang.Kernel) error {
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
			c.Notes = append(c.Notes, faults.HardwareNotCompiled.Notef("xopt did not compile sources for FPGAs: %v",
				lacks))
		}
		return nil
	case errors.As(err, &failed):
		message, more := firstError(failed.Output)
		c.add(faults.WrongSource, impl, "src",
			fmt.Sprintf("the source of block %s does not compile: %s", impl.Block, message), more)
		return nil
	case err != nil:
		c.add(faults.WrongSource, impl, "src", fmt.Sprintf("the source of block %s: %v", impl.Block, err), "")
		return nil
	}
	for _, side := range []struct {
		input bool
		ports []xlang.Port
	}{{true, kernel.Inputs}, {false, kernel.Outputs}} {
		for _, port := range side.ports {
			if _, _, err := m.Words(port.Name, side.input, int(port.ElementBytes)); err != nil {
				c.add(faults.WrongSource, impl, "src", fmt.Sprintf("the source of block %s: %v", impl.Block, err), "")
			}
		}
	}
	return nil
}

// complaint matches the error lines of compilers: gcc, clang, verilator, ghdl.
var complaint = regexp.MustCompile(`(?m)^.*(?:error:|%Error).*$`)

// firstError returns the first error in a compiler's output, and the number of further errors.
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

// CheckConfigs returns an error if a source has no config for --input or --elements, or a sink has no config for
// --sink. input and sink are the values of the options; "" if not set. elements is the value of --elements; 0 if not
// set.
func CheckConfigs(p *xlang.Program, input, sink string, elements uint64) error {
	for _, g := range []struct {
		given                          bool
		role, option, config, declared string
	}{
		{input != "", "source", "--input", "input", `config STRING input = "";`},
		{elements > 0, "source", "--elements", "elements", "config UNSIGNED64 elements = 1000;"},
		{sink != "", "sink", "--sink", "output", `config STRING output = "";`},
	} {
		var lack []string
		has := !g.given
		for i := range p.Kernels {
			k := &p.Kernels[i]
			if g.role == "sink" && len(k.Outputs) > 0 || g.role == "source" && len(k.Inputs) > 0 {
				continue
			}
			if _, ok := k.Config[g.config]; ok {
				has = true
			} else if !slices.Contains(lack, k.Block) {
				lack = append(lack, k.Block)
			}
		}
		if !has {
			return faults.UnusedConfig.Usagef("%s sets config %s of %ss, but no %s has this config: omit the "+
				"option, or add `%s` to block %s and use d->config.%s in its code", g.option, g.config, g.role,
				g.role, g.declared, strings.Join(lack, " or "), g.config)
		}
	}
	return nil
}
