package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mattn/go-shellwords"
)

// CompilerVersion is what the C compiler of this machine says of itself; "" without one.
func CompilerVersion(ctx context.Context) string {
	cc, err := Compiler()
	if err != nil {
		return ""
	}
	return compilerVersion(ctx, cc)
}

// Compiler is the command of the C compiler that deployments are built with: a program, and
// arguments that CC gives it. An error says how to get one.
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
		return nil, nil, errors.New("no C compiler is installed (Debian: gcc); or set CC")
	}
	return cc, cxx, nil
}

// findCompiler finds the command that a variable of the environment gives, else the first
// program of some names that is there.
func findCompiler(variable string, names ...string) ([]string, error) {
	words := []string(nil)
	if v := os.Getenv(variable); strings.TrimSpace(v) != "" {
		var err error
		if words, err = splitWords(v); err != nil {
			return nil, fmt.Errorf("%s is %q: %w", variable, v, err)
		}
		names = words[:1]
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return append([]string{path}, words[min(1, len(words)):]...), nil
		}
	}
	return nil, nil
}

// splitWords splits a command into words as a shell does, with quotes, and without one: what
// means something else to a shell is refused.
func splitWords(text string) ([]string, error) {
	p := shellwords.NewParser()
	words, err := p.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("its quotes are not closed")
	case p.Position >= 0 || len(words) == 0:
		return nil, errors.New("want a program and its arguments, such as ccache gcc; there is no shell that would take more")
	}
	return words, nil
}

// compilerVersion is the first line of what a compiler says of itself, and the options that
// it is given always.
func compilerVersion(ctx context.Context, cc []string) string {
	version := filepath.Base(cc[0])
	if out, err := exec.CommandContext(ctx, cc[0], append(cc[1:len(cc):len(cc)], "--version")...).Output(); err == nil {
		version, _, _ = strings.Cut(string(out), "\n")
	}
	for _, word := range cc[1:] {
		if strings.HasPrefix(word, "-") {
			version += " " + word
		}
	}
	return version
}
