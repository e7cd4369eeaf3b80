package program

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

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/files/infile"
)

// Error reports a kernel or an application that the compiler rejects.
type Error struct {
	What   string // "block SUM (sum.c)", "the application"
	Output string // the compiler's messages
}

// Error returns the error message with the compiler's output.
func (e *Error) Error() string {
	return fmt.Sprintf("building %s failed:\n%s", e.What, strings.TrimRight(e.Output, "\n"))
}

// command is one call of a compiler.
type command struct {
	what     string
	compiler []string // prefix of args
	args     []string
	objects  []string // files that the command makes
	kept     bool     // cached between builds: the objects do not depend on the mapping
	source   string   // a kernel's source, which args contains with its full path; "" for own sources
	// missing, if set, returns the undefined functions of an object.
	missing func(object string) []string
}

// grouped returns a command that ends with all of its children when ctx is cancelled. Otherwise the programs that a
// compiler starts would continue and keep its outputs open.
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
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // a killed compiler leaves files only in this folder
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text := out.String() + exitText(err)
		if strings.TrimSpace(text) == "" {
			text = fmt.Sprintf("%s printed nothing and ended with %v", c.args[0], err)
		}
		return &Error{What: c.what, Output: text}
	}
	return nil
}

// check returns an error if an object has undefined functions. The linker's message would not name the kernel.
func (c *command) check(dir string) error {
	if c.missing == nil {
		return nil
	}
	if names := c.missing(filepath.Join(dir, c.objects[0])); len(names) > 0 {
		return &Error{What: c.what, Output: missingText(names)}
	}
	return nil
}

// exitText returns the text of an error, or "" if the compiler itself exited with an error message.
func exitText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return ""
	}
	return err.Error()
}

// toolchain contains the C and C++ compilers and their sanitizers.
type toolchain struct {
	cc, cxx    []string
	sanitizers sanitizers
}

// kernelCommand returns the command that compiles the source of a block, and reports whether the source is C++. A call
// to an undeclared function is an error, because the linker could not report its line.
func (t *toolchain) kernelCommand(p *xlang.Program, block string, impl *xlang.Impl) (_ command, inCxx bool, err error) {
	src, err := filepath.Abs(impl.Source())
	if err != nil {
		return command{}, false, err
	}
	if irregular := (*infile.NotRegularError)(nil); errors.As(infile.Check(src), &irregular) {
		// the compiler would block on such a file
		return command{}, false, &InputError{fmt.Errorf("the source of block %s: %w", block, irregular)}
	}
	compiler, own := t.cc, []string{"-std=gnu11", "-Werror=implicit-function-declaration"}
	if isCxx(src) {
		if len(t.cxx) == 0 {
			return command{}, false, faults.NoCompiler.Errorf("block %s is C++, but no C++ compiler is installed "+
				"(install one, such as g++ on Debian, or set CXX)", block)
		}
		compiler, own, inCxx = t.cxx, nil, true
	}
	flags, err := Flags(impl, "flags")
	if err != nil {
		return command{}, false, err
	}
	object := "k_" + block + ".o"
	return command{
		what:     fmt.Sprintf("block %s (%s)", block, src),
		compiler: compiler,
		args: slices.Concat(compiler, own, []string{"-O2", aligned, "-I.", "-MD"}, flags,
			t.sanitizers.kernel, []string{"-c", "-o", object, src}),
		objects: []string{object},
		kept:    true,
		source:  src,
		missing: func(object string) []string { return undefinedIn(object, p, block) },
	}, inCxx, nil
}

// isCxx reports whether a source is C++, judged by its file name.
func isCxx(path string) bool {
	return slices.Contains([]string{".cc", ".cpp", ".cxx", ".C"}, filepath.Ext(path))
}

// aligned aligns every function to 64 bytes, a cache line. The position of a loop in a cache line changes its speed by
// up to 30 %. A kernel must run at the same speed alone and with other kernels, but a linker may move a loop by a
// multiple of 16 bytes. See Mytkowicz and others, "Producing Wrong Data Without Doing Anything Obviously Wrong!",
// ASPLOS 2009. The flags of a block follow this flag and may override it.
const aligned = "-falign-functions=64"

// makefile returns the text of a makefile that runs the commands. Every word is quoted for the shell that make starts.
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
