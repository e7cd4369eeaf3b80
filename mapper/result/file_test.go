package result

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSimilarResult checks that the error for a missing result file suggests the most similar existing name.
func TestSimilarResult(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dep.json", "found.result.json", "sim.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for missing, want := range map[string]string{"dep.result.json": "dep.json", "fond.result.json": "found.result.json",
		"other.result.json": "", "none/dep.json": ""} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got := similarResult(filepath.Join(dir, missing)); got != want {
			t.Errorf("%s: %q, want %q", missing, got, want)
		}
	}
}
