package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"xopt/deploy"
	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
)

// CompilerVersion returns the version line of this machine's C compiler; "" if there is none or its version is unknown.
func CompilerVersion(ctx context.Context) string {
	cc, err := Compiler()
	if err != nil {
		return ""
	}
	return compilerVersion(ctx, cc)
}

// Compiler returns the command of the C compiler for deployments: a program, followed by the arguments in CC. The error
// explains how to install a compiler.
func Compiler() ([]string, error) {
	cc, _, err := compilers()
	return cc, err
}

// compilers returns the C and C++ compilers. cxx is empty if there is no C++ compiler.
func compilers() (cc, cxx []string, err error) {
	if cc, err = findCompiler("CC", "cc", "gcc", "clang"); err != nil {
		return nil, nil, err
	}
	if cxx, err = findCompiler("CXX", "c++", "g++", "clang++"); err != nil {
		return nil, nil, err
	}
	if len(cc) == 0 {
		return nil, nil, faults.NoCompiler.Errorf("no C compiler is installed (install one, such as gcc on Debian, " +
			"or set CC)")
	}
	return cc, cxx, nil
}

// findCompiler returns the command in an environment variable or, if the variable is empty, the first available program
// of the given names.
func findCompiler(variable string, names ...string) ([]string, error) {
	words, given := []string(nil), os.Getenv(variable)
	if strings.TrimSpace(given) != "" {
		var err error
		if words, err = splitWords(given); err != nil {
			return nil, fmt.Errorf("%s is %q: %w", variable, given, err)
		}
		names = words[:1]
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return append([]string{path}, words[min(1, len(words)):]...), nil
		}
	}
	if len(words) > 0 {
		return nil, faults.WrongCompiler.Errorf("%s is %q, but program %q cannot be run: set %s to an installed "+
			"compiler, or unset it", variable, given, words[0], variable)
	}
	return nil, nil
}

// splitWords splits a command into words like a shell, including quotes. It rejects characters that have a special
// meaning in a shell.
func splitWords(text string) ([]string, error) {
	p := shellwords.NewParser()
	words, err := p.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("its quotes are not closed")
	case p.Position >= 0 || len(words) == 0:
		return nil, faults.WrongCompiler.Errorf("expected a program and its arguments, such as ccache gcc, without " +
			"shell syntax")
	}
	return words, nil
}

// Flags splits the attribute flags or ldflags of an implementation into words with splitWords. The error names the line
// and the fix.
func Flags(impl *xlang.Impl, name string) ([]string, error) {
	value := impl.Attrs[name]
	if strings.TrimSpace(value.Text) == "" {
		return nil, nil
	}
	p := shellwords.NewParser()
	words, err := p.Parse(value.Text)
	at := fmt.Sprintf("%s:%d:%d: %s is %q", value.Pos.File, value.Pos.Line, value.Pos.Column, name, value.Text)
	switch {
	case err != nil:
		return nil, &InputError{faults.WrongFlags.Errorf("%s: its quotes are not closed", at)}
	case p.Position >= 0:
		return nil, &InputError{faults.WrongFlags.Errorf("%s: special characters need single quotes, such as "+
			"'-DX=a;b', because xopt runs the compiler without a shell", at)}
	}
	return words, nil
}

// compilerVersion returns the first line that a compiler prints with --version, followed by the options in its command.
// It returns "" if the command fails or is cancelled. Callers must not compare an unknown version with another version.
func compilerVersion(ctx context.Context, cc []string) string {
	out, err := grouped(ctx, append(cc[:len(cc):len(cc)], "--version")).Output()
	version, _, _ := strings.Cut(string(out), "\n")
	if err != nil || ctx.Err() != nil || strings.TrimSpace(version) == "" {
		return ""
	}
	for _, word := range cc[1:] {
		if strings.HasPrefix(word, "-") {
			version += " " + word
		}
	}
	return version
}

// CompileBlock compiles the source of one block like [New], without running it, and returns the machine code.
func CompileBlock(ctx context.Context, prog *xlang.Program, block string, impl *xlang.Impl) (_ []byte, err error) {
	cc, cxx, err := compilers()
	if err != nil {
		return nil, err
	}
	c, _, err := (&toolchain{cc: cc, cxx: cxx}).kernelCommand(prog, block, impl)
	if err != nil {
		return nil, err
	}
	c.missing = nil // the caller checks for undefined functions
	dir, err := scratch.Dir("", scratch.Deploy)
	if err != nil {
		return nil, fmt.Errorf("creating a folder to compile in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	if files["X_"+block+".h"], err = Header(prog, block); err != nil {
		return nil, err
	}
	if files["choices.h"], err = (&plan{program: prog}).choicesH(sanitizers{}); err != nil {
		return nil, err
	}
	if err := writeFiles(dir, files); err != nil {
		return nil, fmt.Errorf("writing the generated headers: %w", err)
	}
	if err := newObjects(ctx).compile(ctx, &c, dir); err != nil {
		return nil, err
	}
	object, err := os.ReadFile(filepath.Join(dir, c.objects[0]))
	if err != nil {
		return nil, fmt.Errorf("reading the machine code of block %s: %w", block, err)
	}
	return object, nil
}

// sanitizers contains the compiler arguments that enable checks of kernels.
type sanitizers struct {
	address, undefined    bool
	kernel, runtime, link []string // arguments
	note                  string
}

// findSanitizers returns the sanitizers of the compiler that work. It builds and runs a test program, because a
// compiler may accept a sanitizer whose library is missing. If no sanitizer works, it returns options for fortified
// functions.
func findSanitizers(ctx context.Context, dir string, cc []string) (sanitizers, error) {
	const trial = "sanitizers.c"
	if err := os.WriteFile(filepath.Join(dir, trial), []byte("int main(void) { return 0; }\n"), 0o644); err != nil {
		return sanitizers{}, fmt.Errorf("trying the compiler's sanitizers: %w", err)
	}
	for _, s := range []sanitizers{{address: true, undefined: true}, {undefined: true}} {
		flag := "-fsanitize=undefined"
		if s.address {
			flag = "-fsanitize=address,undefined"
		}
		program := filepath.Join(dir, "sanitizers")
		build := grouped(ctx, slices.Concat(cc, []string{flag, "-o", program, trial}))
		build.Dir = dir
		err := build.Run()
		if err == nil {
			err = grouped(ctx, []string{program}).Run()
		}
		if ctx.Err() != nil {
			return sanitizers{}, ctx.Err()
		}
		if err != nil {
			continue
		}
		s.kernel = []string{"-DXRT_GUARD=1", flag, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"}
		s.link = []string{flag}
		s.note = "guarded run: each element has separate memory, and kernels are compiled with " + flag +
			". Rates include the cost of the guards"
		return s, nil
	}
	// Fortified functions check accesses to objects of known size.
	s := sanitizers{kernel: []string{"-DXRT_GUARD=1", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-g"}}
	s.note = fmt.Sprintf("guarded run: each element has separate memory. %s has no sanitizers here, so kernels are "+
		"compiled with -D_FORTIFY_SOURCE=2. Rates include the cost of the guards", strings.Join(cc, " "))
	return s, nil
}
