package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sanitizers contains the compiler arguments for checking kernels.
type sanitizers struct {
	address, undefined    bool
	kernel, runtime, link []string // arguments
	note                  string
}

// findSanitizers tests the compiler's sanitizers: it may accept them without their library.
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
		s.note = "guarded: each element in a place of its own; kernels compiled with " + flag +
			"; rates are those of guarded kernels"
		return s, nil
	}
	// Fortified functions check accesses to objects of known size.
	s := sanitizers{kernel: []string{"-DXRT_GUARD=1", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-g"}}
	s.note = fmt.Sprintf("guarded: each element in a place of its own; %s has no sanitizers here, kernels are "+
		"compiled with -D_FORTIFY_SOURCE=2; rates are those of guarded kernels", strings.Join(cc, " "))
	return s, nil
}
