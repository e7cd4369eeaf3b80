package apps_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/mapper/result"
)

// The parameters of bench/apps/blastn/app.x.
const (
	dnaWord, dnaLeft, dnaAround = 11, 74, 160
	dnaUngapped, dnaDrop        = 18, 10
	dnaGapped, dnaBand, dnaGap  = 30, 8, 4
)

// matches returns the best score of steps from database place p and query place q, within [from, to) of the database.
func matches(db, query []byte, p, q, step, from, to int) int {
	score, best := 0, 0
	for ; p >= from && p < to && q >= 0 && q < len(query) && score > best-dnaDrop; p, q = p+step, q+step {
		if db[p] == query[q] {
			score++
		} else {
			score -= 3
		}
		best = max(best, score)
	}
	return best
}

// localAlignment computes the complete matrix of database bases [from, to) and the query. Cells off the band stay
// empty.
func localAlignment(db, query []byte, p, q, from, to int) int {
	cell := make([][]int, to-from+1)
	for i := range cell {
		cell[i] = make([]int, len(query)+1)
	}
	best := 0
	for i := from; i < to; i++ {
		for j := range query {
			if off := (j - q) - (i - p); off < -dnaBand || off > dnaBand {
				continue
			}
			s := -3
			if db[i] == query[j] {
				s = 1
			}
			v := max(0, cell[i-from][j]+s, cell[i-from][j+1]-dnaGap, cell[i-from+1][j]-dnaGap)
			cell[i-from+1][j+1] = v
			best = max(best, v)
		}
	}
	return best
}

// search compares every word of the database with every word of the query.
func search(db, query string) (found map[string]bool, words, alignments int) {
	found = make(map[string]bool)
	for p := 0; p+dnaWord <= len(db); p++ {
		for q := 0; q+dnaWord <= len(query); q++ {
			if db[p:p+dnaWord] != query[q:q+dnaWord] {
				continue
			}
			words++
			// The surroundings end an element before the one in which the word ends, and one after it.
			element := (p + dnaWord - 1) / 256 * 256
			from, to := max(p-dnaLeft, element-256, 0), min(p-dnaLeft+dnaAround, element+512, len(db))
			if dnaWord+matches([]byte(db), []byte(query), p-1, q-1, -1, from, to)+matches([]byte(db), []byte(query),
				p+dnaWord, q+dnaWord, 1, from, to) < dnaUngapped {
				continue
			}
			alignments++
			if s := localAlignment([]byte(db), []byte(query), p, q, from, to); s >= dnaGapped {
				found[fmt.Sprintf("%d %d %d", p, q, s)] = true
			}
		}
	}
	return found, words, alignments
}

// TestBlastn compares the output with an exhaustive search, which also finds all planted words. Every mapping must find
// the same.
func TestBlastn(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[random.IntN(4)]
		}
		return string(b)
	}
	query := draw(1500)
	db := []byte(draw(256 * 60))
	copy(db, query[:90])                    // at its beginning
	copy(db[len(db)-70:], query[1400:1470]) // at its end
	copy(db[4000:], query[700:760])         // with one base missing and one changed
	copy(db[4060:], query[761:820])
	db[4030] = "CGTA"[strings.IndexByte("ACGT", db[4030])]
	copy(db[9000:], query[300:312]) // too short to be found
	dir := t.TempDir()
	for name, bases := range map[string]string{"db.fa": string(db), "query.fa": query} {
		var text strings.Builder
		text.WriteString(">drawn\n")
		for i := 0; i < len(bases); i += 70 {
			fmt.Fprintln(&text, bases[i:min(i+70, len(bases))])
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, words, alignments := search(string(db), query)
	app := apptest.App{Dir: "blastn", Input: filepath.Join(dir, "db.fa"), Elements: 1,
		Set: map[string]string{"top.query": filepath.Join(dir, "query.fa")}}
	out, m := app.Deploy(t, oneCore, program.Options{})
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	near := make(map[int]bool)
	for _, line := range lines {
		if !want[line] {
			t.Fatalf("%q is found, and should not be", line)
		}
		var p, q, s int
		if _, err := fmt.Sscan(line, &p, &q, &s); err != nil {
			t.Fatal(err)
		}
		near[p/100*100] = true
	}
	if len(lines) != len(want) {
		t.Errorf("%d are found, want %d", len(lines), len(want))
	}
	for _, p := range []int{0, 4000, (len(db) - 70) / 100 * 100} {
		if !near[p] {
			t.Errorf("what was planted near %d is not found", p)
		}
	}
	if near[9000] {
		t.Error("what is too short is found")
	}
	if got := m.Edges[2].Elements; got != uint64(words) {
		t.Errorf("%d seeds, want %d", got, words)
	}
	if got := m.Edges[3].Elements; got != uint64(alignments) {
		t.Errorf("%d alignments without gaps, want %d", got, alignments)
	}
	app.Agree(t, 6, out)
}

// TestBlastnFilter checks that the drawn query of 65 400 bases gives the fractions of Lancaster 2011, Table 7.1, run 1.
func TestBlastnFilter(t *testing.T) {
	app := apptest.App{Dir: "blastn", Elements: 3000, Set: map[string]string{"top.planted": "0"}}
	_, m := app.Deploy(t, oneCore, program.Options{})
	bases, hits, seeds := float64(m.Edges[0].Elements*256), float64(m.Edges[1].Elements), float64(m.Edges[2].Elements)
	if p := hits / bases; p < 0.017 || p > 0.019 {
		t.Errorf("stage 1a passes %.4f of the words, want 0.018", p)
	}
	if p := seeds / hits; p < 0.85 || p > 0.91 {
		t.Errorf("stage 1b passes %.3f of the hits, want 0.88", p)
	}
	// The filter is not part of the stream, so the gain is relative to the database only.
	bloom := slices.IndexFunc(m.Kernels, func(k result.MeasuredKernel) bool { return k.In > 0 && k.Out > 0 })
	if got, want := m.Kernels[bloom].Gain, hits*56/(bases/4); math.Abs(got-want) > 1e-9*want {
		t.Errorf("stage 1a has the gain %g, want %g", got, want)
	}
	if got, want := m.Throughput*m.Seconds, bases/4; math.Abs(got-want) > 1e-6*want {
		t.Errorf("the sources sent %g bytes of the stream, want %g", got, want)
	}
}

// TestBlastnRefuses checks that errors describe invalid input.
func TestBlastnRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"short.fa":   {">x\nACGT\n", "the query has 4 bases, expected at least 11"},
		"digits.fa":  {"ACGTACGT1ACGT\n", `base 9 is "1"`},
		"missing.fa": {"", "cannot read"},
	} {
		path := filepath.Join(dir, name)
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f := apptest.App{Dir: "blastn", Elements: 10, Set: map[string]string{"top.query": path}}.Fail(t, oneCore)
		if f == nil || !strings.Contains(f.Text, c.want) {
			t.Errorf("%s: got %v, want %q", name, f, c.want)
		}
	}
}
