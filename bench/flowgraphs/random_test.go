package flowgraphs

import (
	"os"
	"path/filepath"
	"testing"

	"xopt/deploy/gnuradio"
)

// TestRandom: random graphs are valid, and the same seed returns the same text.
func TestRandom(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for seed := range uint64(100) {
		text := Random(seed)
		if text != Random(seed) || seen[text] {
			t.Fatalf("seed %d: the text differs between two calls, or is that of another seed", seed)
		}
		seen[text] = true
		path := filepath.Join(t.TempDir(), "flow.grc")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := gnuradio.Read(path)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(g.Blocks) < 1+1+3+1 { // the import, a source, the fewest stages, a sink
			t.Errorf("seed %d: %d blocks", seed, len(g.Blocks))
		}
	}
}
