package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"xopt/internal/deploy"
	"xopt/internal/design"
	"xopt/internal/infile"
	"xopt/internal/scratch"
	"xopt/internal/xlang"
)

// Error is a kernel or the whole that the compiler refuses.
type Error struct {
	What   string // "block SUM (sum.c)", "the application"
	Output string // the compiler's words
}

// Error gives the compiler's words.
func (e *Error) Error() string {
	return fmt.Sprintf("building %s failed:\n%s", e.What, strings.TrimRight(e.Output, "\n"))
}

// New generates and compiles the program of a design with a mapping. dir is
// where to keep it; "" builds in a temporary folder that Remove deletes.
func New(ctx context.Context, d *design.Design, o Options, dir string) (*Program, error) {
	p, err := newPlan(d, o)
	if err != nil {
		return nil, err
	}
	return p.build(ctx, dir)
}

// Describe plans the program of a design with a mapping, and builds nothing.
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

// Description is what a run needs to know of the program.
func (p *Program) Description() *Description { return p.description }

// Command is the program, with its arguments, that a process is started as.
func (p *Program) Command(process int) []string {
	if p.plan.options.Virtual == nil || process == 0 {
		return []string{p.path, fmt.Sprint(process)}
	}
	return []string{p.plan.options.Virtual.Federates[process-1].Path, fmt.Sprint(process),
		filepath.Join(p.dir, federateFile(process-1))}
}

// Remove deletes what was built, unless it was to be kept.
func (p *Program) Remove() error {
	if !p.temp {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// CompilerVersion is what the C compiler says of itself.
func (p *Program) CompilerVersion() string { return p.compiler }

// Renew writes the executable anew, to other pages of memory. Where code lies there
// decides what it meets in the caches; a benchmark that compares programs must not
// take that for the programs'.
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

// build writes the generated sources to dir, or a temporary folder, and compiles
// them with the kernels' sources. No name from an X file reaches a shell.
func (p *plan) build(ctx context.Context, dir string) (_ *Program, err error) {
	cc, cxx, err := compilers()
	if err != nil {
		return nil, err
	}
	prog := &Program{plan: p, dir: dir}
	if dir == "" {
		if prog.dir, err = scratch.Dir("", scratch.Deploy); err != nil {
			return nil, fmt.Errorf("making a folder to build in: %w", err)
		}
		prog.temp = true
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder to build in: %w", err)
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
		p.notes = append(p.notes, s.note)
	}
	commands, err := p.write(prog.dir, cc, cxx, s)
	if err != nil {
		return nil, fmt.Errorf("writing the generated sources: %w", err)
	}
	if err := p.writeFederates(prog.dir); err != nil {
		return nil, err
	}
	for _, c := range commands {
		if c.cached != "" && takeObjects(c.cached, prog.dir, c.objects) {
			continue
		}
		if err := c.run(ctx, prog.dir); err != nil {
			return nil, err
		}
		if c.block != "" {
			if missing := undefinedIn(filepath.Join(prog.dir, c.objects[0]), p.program, c.block); len(missing) > 0 {
				return nil, &Error{What: c.what, Output: missingText(missing)}
			}
		}
		if c.cached != "" {
			if err := keepObjects(c.cached, prog.dir, c.objects); err != nil {
				return nil, err
			}
		}
	}
	prog.path = filepath.Join(prog.dir, "app")
	prog.compiler = compilerVersion(ctx, cc)
	prog.description = p.describe()
	return prog, nil
}

// exitText tells of an error that is not the compiler's own complaint.
func exitText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return ""
	}
	return err.Error()
}

// command is one call of a compiler.
type command struct {
	what  string
	block string // whose source it compiles
	args  []string
	// cached is the folder that keeps the objects between builds, "" for none.
	cached  string
	objects []string
}

// write writes the sources and a Makefile that does the same by hand.
func (p *plan) write(dir string, cc, cxx []string, s sanitizers) ([]command, error) {
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	var sources []string
	for _, name := range sortedKeys(files) {
		if strings.HasSuffix(name, ".c") {
			sources = append(sources, name)
		}
	}
	if files["choices.h"], err = p.choicesH(s); err != nil {
		return nil, err
	}
	linker := cc
	// The runtime is one call of the compiler: fewer processes to start.
	const flags = "-std=gnu11 -O2 -I. -c"
	compile := func(sources ...string) command {
		c := command{what: "the application", args: slices.Concat(cc, strings.Fields(flags), s.runtime, sources)}
		for _, s := range sources {
			c.objects = append(c.objects, strings.TrimSuffix(s, ".c")+".o")
		}
		return c
	}
	runtime, tables := compile(sources...), compile("main.c")
	if p.options.Objects != "" {
		runtime.cached = filepath.Join(p.options.Objects, objectKey(strings.Join(cc, "\x00"), flags, files["choices.h"],
			files))
	}
	if files["main.c"], err = p.mainC(); err != nil {
		return nil, err
	}
	commands := []command{runtime, tables}
	objects := slices.Concat(runtime.objects, tables.objects)
	for _, block := range p.blocks() {
		if files["X_"+block+".h"], err = header(p.program, block); err != nil {
			return nil, err
		}
		c, isCxx, err := kernelCommand(block, p.impl[block], cc, cxx, s)
		if err != nil {
			return nil, err
		}
		if isCxx {
			linker = cxx
		}
		objects = append(objects, c.objects...)
		commands = append(commands, c)
	}
	link := slices.Concat(linker, []string{"-o", "app"}, s.link, objects)
	for _, block := range p.blocks() {
		link = append(link, strings.Fields(p.impl[block].Attrs["ldflags"].Text)...)
	}
	commands = append(commands, command{what: "the application", args: append(link, "-lm")})
	files["Makefile"] = makefile(commands)
	for _, name := range sortedKeys(files) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			return nil, err
		}
	}
	return commands, nil
}

// grouped is a command that ends with all that it started when ctx is cancelled: the program
// that is called as the compiler starts others, which would go on, and hold its outputs open.
func grouped(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

// run runs a command in a folder.
func (c *command) run(ctx context.Context, dir string) error {
	cmd := grouped(ctx, c.args)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // a compiler that is killed leaves nothing elsewhere
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{What: c.what, Output: out.String() + exitText(err)}
	}
	return nil
}

// kernelCommand compiles the source of a block, and reports whether that is C++. A function that is nowhere
// declared is an error where it is called: the linker would
// not know the line.
func kernelCommand(block string, impl *xlang.Impl, cc, cxx []string, s sanitizers) (_ command, isCxx bool, err error) {
	src, err := filepath.Abs(impl.Source())
	if err != nil {
		return command{}, false, err
	}
	if irregular := (*infile.NotRegularError)(nil); errors.As(infile.Check(src), &irregular) {
		// a compiler would wait
		return command{}, false, &InputError{fmt.Errorf("the source of block %s: %w", block, irregular)}
	}
	compiler, own := cc, []string{"-std=gnu11", "-Werror=implicit-function-declaration"}
	switch filepath.Ext(src) {
	case ".cc", ".cpp", ".cxx", ".C":
		if len(cxx) == 0 {
			return command{}, false, fmt.Errorf("block %s is C++, and no C++ compiler is installed (Debian: g++); "+
				"or set CXX", block)
		}
		compiler, own, isCxx = cxx, nil, true
	}
	object := "k_" + block + ".o"
	args := slices.Concat(compiler, own, []string{"-O2", "-I."}, strings.Fields(impl.Attrs["flags"].Text), s.kernel,
		[]string{"-c", "-o", object, src})
	return command{what: fmt.Sprintf("block %s (%s)", block, src), block: block, args: args, objects: []string{object}},
		isCxx, nil
}

// makefile writes the commands for make; every word is quoted for the shell that
// make starts.
func makefile(commands []command) string {
	var b strings.Builder
	b.WriteString("# Generated by xopt deploy. make builds ./app, which xopt deploy starts.\napp:\n")
	for _, c := range commands {
		b.WriteByte('\t')
		for i, a := range c.args {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ReplaceAll("'"+strings.ReplaceAll(a, "'", `'\''`)+"'", "$", "$$"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Object is the path of the machine code of a block, while the program is kept.
func (p *Program) Object(block string) string { return filepath.Join(p.dir, "k_"+block+".o") }

// RuntimeVersion stands for the runtime that is built into every program: another one
// may take another time.
func RuntimeVersion() string {
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return "" // it is embedded
	}
	return objectKey("", "", "", files)
}
