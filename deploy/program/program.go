// Package program builds a program that runs a mapping. It plans processes and shared memory, generates C from the
// application, and compiles it with the kernels' sources and the C runtime.
//
// Package run needs only the Description of a program. Names from an X file never reach a shell and never make the C
// invalid.
//
// The assignment of kernels to processes follows Gayen 2008 §2.2.1 (one process per core) or Beard 2013 §5.1 (one
// process per kernel). Taps follow Lancaster 2011 §3.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/internal/files/scratch"
)

// New generates and compiles the program of a design with a mapping, in folder dir. If dir is empty, it uses a
// temporary folder that Remove deletes.
func New(ctx context.Context, d *design.Design, o Options, dir string) (*Program, error) {
	p, err := newPlan(d, o)
	if err != nil {
		return nil, err
	}
	return p.build(ctx, dir)
}

// Describe plans the program of a design with a mapping without building it.
func Describe(d *design.Design, o Options) (*Description, error) {
	p, err := newPlan(d, o)
	if err != nil {
		return nil, err
	}
	return p.describe(), nil
}

// Program is a built application, ready to run.
type Program struct {
	plan        *plan
	description *Description
	dir         string
	path        string
	temp        bool
	compiler    string
}

// Description returns the description of the program for the code that runs it.
func (p *Program) Description() *Description { return p.description }

// Command returns the command line that starts a process of the program.
func (p *Program) Command(process int) []string {
	if p.plan.options.Virtual == nil || process == 0 {
		return []string{p.path, fmt.Sprint(process)}
	}
	v := p.plan.options.Virtual
	command := []string{v.Federates[process-1].Path, fmt.Sprint(process), filepath.Join(p.dir, federateFile(process-1))}
	if v.Record != "" {
		command = append(command, v.Record)
	}
	return command
}

// Path returns the path of the executable.
func (p *Program) Path() string { return p.path }

// Remove deletes the program unless it was built in a given folder.
func (p *Program) Remove() error {
	if !p.temp {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// CompilerVersion returns the version text of the C compiler.
func (p *Program) CompilerVersion() string { return p.compiler }

// Renew rewrites the executable so that it occupies other memory pages. The position of code in memory determines its
// cache conflicts. A benchmark that compares programs must not attribute these conflicts to the programs.
func (p *Program) Renew() error {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return fmt.Errorf("renewing the executable: %w", err)
	}
	again := p.path + ".new"
	if err := errors.Join(os.WriteFile(again, text, 0o755), os.Rename(again, p.path)); err != nil {
		return fmt.Errorf("renewing the executable: %w", err)
	}
	return nil
}

// Object returns the path of a block's machine code. It is valid until Remove.
func (p *Program) Object(block string) string { return filepath.Join(p.dir, "k_"+block+".o") }

// build writes the generated sources to dir or a temporary folder, and compiles them with the kernels' sources. No name
// from an X file reaches a shell.
func (p *plan) build(ctx context.Context, dir string) (_ *Program, err error) {
	cc, cxx, err := compilers()
	if err != nil {
		return nil, err
	}
	prog := &Program{plan: p, dir: dir}
	if dir == "" {
		if prog.dir, err = scratch.Dir("", scratch.Deploy); err != nil {
			return nil, fmt.Errorf("creating a folder to build in: %w", err)
		}
		prog.temp = true
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder to build in: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, prog.Remove())
		}
	}()
	var s sanitizers
	if p.options.Guard {
		if s, err = findSanitizers(ctx, prog.dir, cc); err != nil {
			return nil, err
		}
		p.notes = append(p.notes, faults.Guarded.Notef("%s", s.note))
	}
	commands, err := p.write(prog.dir, cc, cxx, s)
	if err != nil {
		return nil, fmt.Errorf("writing the generated sources: %w", err)
	}
	if err := p.writeFederates(prog.dir); err != nil {
		return nil, err
	}
	kept := newObjects(ctx)
	for i := range commands {
		if err := kept.compile(ctx, &commands[i], prog.dir); err != nil {
			return nil, err
		}
	}
	// The relative path of --keep . has no slash, and the system would search PATH for the program.
	if prog.path, err = filepath.Abs(filepath.Join(prog.dir, "app")); err != nil {
		return nil, fmt.Errorf("finding the built program: %w", err)
	}
	if _, err := os.Stat(prog.path); err != nil {
		return nil, faults.NoProgram.Errorf("the compiler %s reported success but wrote no program: %w", cc[0], err)
	}
	prog.compiler = kept.version(ctx, cc)
	prog.description = p.describe()
	return prog, nil
}
