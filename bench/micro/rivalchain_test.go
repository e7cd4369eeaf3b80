package micro

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// TestRivalsMissing checks that missing frameworks are reported with the command that installs them, and cause no
// error.
func TestRivalsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var notes []string
	r := &rivalChain{dir: t.TempDir(), programs: make(map[string]string),
		o: RivalsOptions{Note: func(s string) { notes = append(notes, s) }}}
	if err := r.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	reported := strings.Join(notes, "\n")
	if len(notes) != 2 || len(r.programs) != 0 || !strings.Contains(reported, "libtbb-dev") ||
		!strings.Contains(reported, "gnuradio-dev") {
		t.Errorf("programs %v, notes %q", r.programs, notes)
	}
	w, err := r.bestSettings(t.Context(), &RivalInput{Bytes: 64}, rivalPipeline)
	if w != nil || err != nil {
		t.Errorf("settings of what is not here: %v, %v", w, err)
	}
}

// TestRivalWays checks that batches have as many messages as fit, and that there are none if one message fills a batch.
func TestRivalWays(t *testing.T) {
	for _, x := range []struct{ bytes, batch int }{{64, 256}, {1 << 10, 16}, {16 << 10, 0}, {256 << 10, 0}} {
		list := ways(&RivalInput{Bytes: x.bytes}, rivalPipelineBatch)
		if (x.batch == 0) != (len(list) == 0) || len(list) > 0 && list[0].batch != x.batch {
			t.Errorf("%d bytes: %v, want batches of %d", x.bytes, list, x.batch)
		}
	}
}

// TestRivals runs the chain on the installed frameworks. The rivals check that each message is the one that was sent,
// so a rate is that of the complete work.
func TestRivals(t *testing.T) {
	testkit.Long(t, "it builds seven mappings, and two programs in C++")
	t.Parallel()
	cases, err := Rivals(t.Context(), RivalsOptions{Runs: 2, Window: 100 * time.Millisecond, Bytes: []int{1 << 10},
		Work: []RivalWork{{Work: 1, Heavy: 7}}, Note: func(s string) { t.Log(s) }})
	if err != nil {
		if strings.Contains(err.Error(), "two processors") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	c := &cases[0]
	if c.Bound != 2e6/16 || c.Mapping == "" || !(c.Rates[rivalXopt].Value > 0) {
		t.Errorf("case %+v", c)
	}
	for kind := range rivalWays {
		// No run is faster than two cores that only do the work. Clocks and steps are accurate to a few percent.
		if rate := c.Rates[kind]; rate.N > 0 && !(rate.Value > 0 && rate.Value < 1.2*c.Bound) {
			t.Errorf("%s runs at %g messages/s, and the bound is %g", RivalWays()[kind], rate.Value, c.Bound)
		}
	}
	for kind := range rivalWays {
		// A message passes through 16 us of work. A run has too few messages for a quantile only if the machine is
		// extremely slow.
		if p99 := c.P99[kind]; p99.N > 0 && p99.Value < 15e-6 || kind == rivalXopt && p99.N == 0 {
			t.Errorf("%s has a p99 latency of %+v", RivalWays()[kind], c.P99[kind])
		}
	}
	if c.Best > 0 && (c.Ratio.N != 2 || !(c.Ratio.Value > 0)) {
		t.Errorf("ratio %+v", c.Ratio)
	}
}

// TestFastest checks the choice by successive halving with known rates. Each run differs from its rate by at most 5 %,
// and the rates by at least 20 %. All seven candidates have two runs, then four of them, and then two.
func TestFastest(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		rates := make([]float64, 7)
		for place, i := range random.Perm(len(rates)) {
			rates[i] = math.Pow(1.2, float64(place))
		}
		runs := make([]int, len(rates))
		best, medians, err := fastest(len(rates), func(i, _ int) (float64, error) {
			runs[i]++
			return rates[i] * (0.95 + 0.1*random.Float64()), nil
		})
		if want := slices.Index(rates, slices.Max(rates)); err != nil || best != want || runs[best] != 6 {
			t.Fatalf("candidate %d with %d runs instead of %d: %v", best, runs[best], want, err)
		}
		sum := 0
		for i := range runs {
			sum += runs[i]
			if runs[i] < 2 || math.Abs(medians[i]/rates[i]-1) > 0.05 {
				t.Fatalf("%d runs of candidate %d with a median of %g, want %g", runs[i], i, medians[i], rates[i])
			}
		}
		if sum != 2*(7+4+2) {
			t.Fatalf("%d runs", sum)
		}
	}
	best, medians, err := fastest(2, func(i, _ int) (float64, error) {
		return float64(3 - i), []error{errNothing, nil}[i]
	})
	if err != nil || best != 1 || medians[0] != 0 || medians[1] != 2 {
		t.Errorf("best %d of %v: %v", best, medians, err)
	}
	broken := errors.New("broken")
	if _, _, err := fastest(2, func(_, _ int) (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
