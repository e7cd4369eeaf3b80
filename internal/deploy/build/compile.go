package build

import (
	"context"
	"errors"
	"fmt"
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
	choices, err := p.choicesH(sanitizers{})
	if err != nil {
		return nil, err
	}
	typed, err := header(prog, block)
	if err != nil {
		return nil, err
	}
	files := map[string]string{"choices.h": choices, "X_" + block + ".h": typed}
	entries, err := deploy.Runtime.ReadDir("runtime")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".h") {
			text, err := deploy.Runtime.ReadFile("runtime/" + entry.Name())
			if err != nil {
				return nil, err
			}
			files[entry.Name()] = string(text)
		}
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
