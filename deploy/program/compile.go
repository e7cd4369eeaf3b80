package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"xopt/deploy"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
)

// CompileBlock compiles the source of one block as [New] does, without running anything,
// and returns the machine code.
func CompileBlock(ctx context.Context, prog *xlang.Program, block string, impl *xlang.Impl) (_ []byte, err error) {
	cc, cxx, err := compilers()
	if err != nil {
		return nil, err
	}
	c, _, err := (&toolchain{cc: cc, cxx: cxx}).kernelCommand(prog, block, impl)
	if err != nil {
		return nil, err
	}
	c.missing = nil // the caller checks this itself
	dir, err := scratch.Dir("", scratch.Deploy)
	if err != nil {
		return nil, fmt.Errorf("making a folder to compile in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	if files["X_"+block+".h"], err = header(prog, block); err != nil {
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
