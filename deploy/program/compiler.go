package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/mattn/go-shellwords"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
)

// CompilerVersion returns the version line of this machine's C compiler; "" without one, or if it is unknown.
func CompilerVersion(ctx context.Context) string {
	cc, err := Compiler()
	if err != nil {
		return ""
	}
	return compilerVersion(ctx, cc)
}

// Compiler returns the command of the C compiler for deployments: a program, and the arguments in CC. The error
// explains how to install one.
func Compiler() ([]string, error) {
	cc, _, err := compilers()
	return cc, err
}

// compilers finds the C and C++ compilers; cxx is empty without one.
func compilers() (cc, cxx []string, err error) {
	if cc, err = findCompiler("CC", "cc", "gcc", "clang"); err != nil {
		return nil, nil, err
	}
	if cxx, err = findCompiler("CXX", "c++", "g++", "clang++"); err != nil {
		return nil, nil, err
	}
	if len(cc) == 0 {
		return nil, nil, faults.NoCompiler.Errorf("no C compiler is installed (Debian: gcc); or set CC")
	}
	return cc, cxx, nil
}

// findCompiler returns the command in an environment variable or, if it is empty, the first available program
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

// splitWords splits a command into words as a shell does, with quotes, but without a shell. It refuses
// characters with another meaning in a shell.
func splitWords(text string) ([]string, error) {
	p := shellwords.NewParser()
	words, err := p.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("its quotes are not closed")
	case p.Position >= 0 || len(words) == 0:
		return nil, faults.WrongCompiler.Errorf("want a program and its arguments, such as ccache gcc; it is not run " +
			"by a shell")
	}
	return words, nil
}

// Flags splits an attribute of an implementation, flags or ldflags, into words as a shell does, with quotes,
// and without a shell. The error names the line and the fix.
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
		return nil, &InputError{faults.WrongFlags.Errorf("%s: no shell reads it; put what means something else to one "+
			"into single quotes, such as '-DX=a;b'", at)}
	}
	return words, nil
}

// compilerVersion returns the first line that a compiler prints with --version, followed by the options in its command;
// "" where the command fails or is cancelled: an unknown version is equal to no other, and different from none.
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
