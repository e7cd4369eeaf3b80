package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestDefaultFile: configs/xopt.yaml names every setting with its default.
func TestDefaultFile(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "..", "configs", "xopt.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	show := func(args ...string) []string {
		var out, errs bytes.Buffer
		if code := run(context.Background(), append([]string{"config", "show"}, args...), &out, &errs); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	defaults, file := show(), show("--config", path)
	for i, line := range defaults {
		want := strings.TrimSpace(strings.TrimSuffix(line, "default"))
		got, found := strings.CutSuffix(file[i], path)
		if !found || strings.TrimSpace(got) != want {
			t.Errorf("the file gives %q, the default is %q", file[i], line)
		}
	}
}
