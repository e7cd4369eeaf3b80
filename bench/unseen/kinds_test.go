package unseen_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/bench/unseen"
	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestKinds checks the properties of each kind of application: a seed always draws the same application, only records
// have small sources, and an uneven application has a large kernel.
func TestKinds(t *testing.T) {
	seen := make(map[unseen.Kind]int)
	for seed := range uint64(200) {
		a := unseen.Draw(seed)
		if !reflect.DeepEqual(a, unseen.Draw(seed)) {
			t.Fatalf("seed %d draws different applications", seed)
		}
		seen[a.Kind]++
		large := slices.ContainsFunc(a.Kernels, func(k unseen.Kernel) bool {
			return k.Setting("rounds") >= 100 || k.Setting("taps") >= 400
		})
		if large != (a.Kind == unseen.Uneven) {
			t.Errorf("seed %d: a %s application, large kernel: %t", seed, a.Kind, large)
		}
		first := &a.Kernels[0]
		switch n := first.Setting("n"); a.Kind {
		case unseen.Vector:
			if a.Input != nil || n < 16 || slices.ContainsFunc(a.Kernels, isNew) {
				t.Errorf("seed %d: %+v", seed, a)
			}
		case unseen.Text:
			if first.Block != "Text" && (first.Block != "Read" || !a.Input.Text) {
				t.Errorf("seed %d: a source of text is %s", seed, first.Block)
			}
		case unseen.Records:
			if n < 1 || n > 64 || first.Block == "Read" && a.Input.Text {
				t.Errorf("seed %d: records of %g bytes from %s", seed, n, first.Block)
			}
		}
	}
	for _, k := range []unseen.Kind{unseen.Vector, unseen.Text, unseen.Records, unseen.Uneven, unseen.Mixed} {
		if seen[k] < 10 {
			t.Errorf("%d of 200 applications are %s", seen[k], k)
		}
	}
}

// newBlocks are the blocks that only applications other than vector contain.
var newBlocks = []string{"Read", "Store", "Events", "Lex", "Runs", "Expand", "Code", "Count", "Delta", "Grind", "Sieve"}

func isNew(k unseen.Kernel) bool { return slices.Contains(newBlocks, k.Block) }

// TestContent checks that the input is reproducible, and that text contains every kind of token.
func TestContent(t *testing.T) {
	for _, text := range []bool{true, false} {
		a := &unseen.App{Seed: 5, Input: &unseen.Input{Bytes: 1 << 20, Text: text}}
		got := a.Content()
		if len(got) != 1<<20 || !bytes.Equal(got, a.Content()) {
			t.Errorf("text %t: %d bytes, or different ones", text, len(got))
		}
		if b := (&unseen.App{Seed: 6, Input: a.Input}).Content(); bytes.Equal(got, b) {
			t.Errorf("text %t: two seeds have the same content", text)
		}
		k := &unseen.Kernel{Settings: []unseen.Setting{{Name: "width", Value: 4}}}
		kinds := make(map[byte]int)
		for record := range slices.Chunk(lex(k, [][]byte{got})[0], 4) {
			kinds[record[0]]++
		}
		for kind := byte(1); text && kind <= 4; kind++ {
			if kinds[kind] < 1000 {
				t.Errorf("%d tokens of kind %d", kinds[kind], kind)
			}
		}
	}
}

// TestNewBlocks deploys applications that together contain all kinds and all new blocks. Their kernels compile without
// warnings, access no memory outside their elements, and send the same data for other batches, buffers and mappings.
func TestNewBlocks(t *testing.T) {
	testkit.Long(t, "it builds a dozen applications several times")
	t.Parallel()
	const elements = 40
	missing := map[string]bool{"vector": true, "text": true, "records": true, "uneven": true, "mixed": true}
	for _, b := range newBlocks {
		missing[b] = true
	}
	for seed := uint64(1000); len(missing) > 0; seed++ {
		a := unseen.Draw(seed)
		before := len(missing)
		delete(missing, string(a.Kind))
		for i := range a.Kernels {
			delete(missing, a.Kernels[i].Block)
		}
		if len(missing) == before {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", seed, a.Kind), func(t *testing.T) {
			for b := range a.Flags {
				a.Flags[b] += " -Wall -Wextra -Werror"
			}
			want, side, _, _ := sequential(t, a, a.Elements(elements))
			dir := t.TempDir()
			if err := a.Write(dir, 2); err != nil {
				t.Fatal(err)
			}
			report := filepath.Join(t.TempDir(), "report")
			app := apptest.App{Dir: dir, Elements: uint64(a.Elements(elements)),
				Set: map[string]string{"top.report": report}}
			for _, o := range []program.Options{{}, {Batch: "4KiB"}, {Exact: true}, {Guard: true}} {
				got, _ := app.Deploy(t, "map { top } to core[1];", o)
				if string(got) != want {
					t.Errorf("with %+v it wrote %q, the plain program %q", o, got, want)
				}
				if side != "" && testkit.Read(t, report) != side {
					t.Errorf("with %+v the side branch wrote %q, the plain program %q", o, testkit.Read(t, report),
						side)
				}
			}
			app.Agree(t, 2, []byte(want))
		})
	}
}
