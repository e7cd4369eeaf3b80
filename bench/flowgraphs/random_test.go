package flowgraphs

import (
	"os"
	"path/filepath"
	"testing"

	"xopt/deploy/gnuradio"
)

func TestOnce(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(40) {
		p := filepath.Join(dir, "a.grc")
		if err := os.WriteFile(p, []byte(Random(seed)), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := gnuradio.Read(p)
		if err != nil {
			t.Fatal(seed, err)
		}
		t.Log(seed, len(g.Blocks))
	}
}
