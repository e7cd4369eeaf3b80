package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"xopt/internal/deploy"
	"xopt/internal/scratch"
	"xopt/internal/xlang"
)

// CompileBlock compiles the source of one block as [New] does, without running anything,
// and returns the machine code.
func CompileBlock(ctx context.Context, prog *xlang.Program, block string, impl *xlang.Impl) (_ []byte, err error) {
	cc, cxx, err := compilers()
	if err != nil {
		return nil, err
	}
	c, _, err := kernelCommand(block, impl, cc, cxx, sanitizers{})
	if err != nil {
		return nil, err
	}
	dir, err := scratch.Dir("", scratch.Deploy)
	if err != nil {
		return nil, fmt.Errorf("making a folder to compile in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := &plan{program: prog}
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasSuffix(name, ".h") })
	if files["choices.h"], err = p.choicesH(sanitizers{}); err != nil {
		return nil, err
	}
	if files["X_"+block+".h"], err = header(prog, block); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(files) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			return nil, fmt.Errorf("writing the generated headers: %w", err)
		}
	}
	if err := c.run(ctx, dir); err != nil {
		return nil, err
	}
	object, err := os.ReadFile(filepath.Join(dir, c.objects[0]))
	if err != nil {
		return nil, fmt.Errorf("reading the machine code of block %s: %w", block, err)
	}
	return object, nil
}
