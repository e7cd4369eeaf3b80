package design_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// TestLoadingEndsWithItsContext cancels the reading of X files, and their lowering, at many points. Both check their
// context for each statement or kernel, and end soon after.
func TestLoadingEndsWithItsContext(t *testing.T) {
	const kernels = 300
	var app strings.Builder
	app.WriteString("#include \"std.x\"\nblock S { output UNSIGNED8 y; };\n" +
		"block A { input UNSIGNED8 x; output UNSIGNED8 y; };\nblock D { input UNSIGNED8 x; };\nblock top {\nS k0;\n")
	for k := 1; k <= kernels; k++ {
		fmt.Fprintf(&app, "A k%d; k%d -> k%d;\n", k, k-1, k)
	}
	fmt.Fprintf(&app, "D d; k%d -> d;\n};\nuse top;\nresource p[2] is C;\n", kernels)
	app.WriteString("resource mem is memory ({ p }, bandwidth=\"10GB/s\");\nimpl S on C (mu=\"1MB/s\");\n" +
		"impl A on C (mu=\"1MB/s\", gain=1);\nimpl D on C (mu=\"1MB/s\");\n")
	parser, err := xlang.NewParser()
	if err != nil {
		t.Fatal(err)
	}
	o := xlang.Options{Library: configs.Library(), ReadFile: func(path string) ([]byte, error) {
		if path == "a.x" {
			return []byte(app.String()), nil
		}
		return nil, fs.ErrNotExist
	}}
	var program *xlang.Program
	testkit.EndsSoon(t, 2*kernels, func(ctx context.Context) error {
		p, source, err := parser.Load(ctx, []string{"a.x"}, o)
		if source == nil {
			t.Error("no source is returned")
		}
		if err == nil {
			program = p
		}
		return err
	})
	testkit.EndsSoon(t, kernels, func(ctx context.Context) error {
		_, err := design.NewContext(ctx, program, design.Options{Purpose: design.ForSearch})
		return err
	})
}
