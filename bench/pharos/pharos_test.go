package pharos

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// bench builds the simulations.
func bench(t *testing.T) *Bench {
	t.Helper()
	testkit.Tools(t, "verilator", "g++")
	b, err := New(t.Context(), rtl.UserCache(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFig43 checks that a slave's correction after an interval equals the drift of its clock, within a cycle. With the
// published drift of 4.51 ppm, it is the published 451 cycles after a second. Skipped idle times must not change the
// result.
func TestFig43(t *testing.T) {
	t.Parallel()
	b := bench(t)
	rows, err := b.Fig43(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 {
		t.Fatalf("%d intervals, want 6", len(rows))
	}
	for _, r := range rows {
		for i, offset := range r.Offset {
			if math.Abs(offset-r.Drift[i]) > 1 {
				t.Errorf("after %g s the clock that is off by %g ppm is corrected by %g cycles, and drifts %g",
					r.Period, Drifts()[i], offset, r.Drift[i])
			}
		}
		if r.Published >= 0 && math.Abs(slices.Max(r.Offset)-r.Published) > 1 {
			t.Errorf("after %g s, at most %g cycles are corrected; published are %g", r.Period, slices.Max(r.Offset),
				r.Published)
		}
	}
	s := usual(2)
	s.ppm[1], s.period, s.syncs = 40, 3e5, 3
	skipped, err := b.simulate(t.Context(), "skipping", &s)
	if err != nil {
		t.Fatal(err)
	}
	s.skip = false
	complete, err := b.simulate(t.Context(), "not skipping", &s)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(complete.FPGAs[1].Offsets, skipped.FPGAs[1].Offsets); d != "" ||
		len(complete.FPGAs[1].Offsets) != 3 {
		t.Errorf("%v with and without skipping: %s", complete.FPGAs[1].Offsets, d)
	}
	if complete.FPGAs[1].Edges != skipped.FPGAs[1].Edges || complete.FPGAs[1].Trip != skipped.FPGAs[1].Trip {
		t.Errorf("%+v, and with skipping %+v", complete.FPGAs[1], skipped.FPGAs[1])
	}
}

// TestTrueErrors checks that the true error of a time that pPTP keeps is half of the difference of the latencies,
// within the rounding of the clocks. Load increases it, and ignoring slow responses reduces it again. No time runs
// backward, which is an error.
func TestTrueErrors(t *testing.T) {
	t.Parallel()
	b := bench(t)
	rows, err := b.TrueErrors(t.Context(), 40)
	if err != nil {
		t.Fatal(err)
	}
	// A time stamp is up to a cycle old, at both ends and in each direction, and half a cycle is lost by rounding.
	const rounding = 2 * Cycle
	byName := make(map[string]Errors)
	for _, r := range rows {
		byName[r.Case] = r
		if math.IsNaN(r.Expected) {
			continue
		}
		if math.Abs(r.Settled.Mean-r.Expected) > rounding {
			t.Errorf("%s: the true error is %+v ns, want about %g", r.Case, r.Settled, r.Expected)
		}
	}
	full, filtered := byName["other traffic: 90 % of the bandwidth to the slave"],
		byName["other traffic: 90 % to the slave, ignoring round trips over the minimum + 3 cycles"]
	quiet := byName["no other traffic"]
	if !(full.Settled.RMS > 2*quiet.Settled.RMS) || !(filtered.Settled.RMS < full.Settled.RMS/2) || filtered.Slow == 0 {
		t.Errorf("true errors of %g ns without load, %g with, %g where slow answers are not used (%d)",
			quiet.Settled.RMS, full.Settled.RMS, filtered.Settled.RMS, filtered.Slow)
	}
	again, err := b.TrueErrors(t.Context(), 40)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again { // NaN is not equal to itself
		again[i].Expected, rows[i].Expected = 0, 0
	}
	if d := cmp.Diff(rows, again); d != "" {
		t.Errorf("another run is another: %s", d)
	}
}

// TestTable41 compares latencies with Table 4.1. They agree within a cycle of 10 ns, or within three if probes use the
// last of the network's capacity.
func TestTable41(t *testing.T) {
	t.Parallel()
	b := bench(t)
	longest := 1e-3
	if testing.Short() {
		longest = 1e-5
	}
	rows, around, err := b.Table41(t.Context(), longest)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 2 || math.Abs(around-BaseAround) > 1 {
		t.Fatalf("%d rows; without probes %g ns, want %d", len(rows), around, BaseAround)
	}
	for _, r := range rows {
		tolerance := Cycle
		if r.Period < 1e-5 {
			tolerance = 3 * Cycle
		}
		if math.Abs(r.Around-r.PublishedAround) > tolerance || math.Abs(r.OneWay-r.PublishedOneWay) > tolerance ||
			r.Unsent > 0 {
			t.Errorf("every %g s: %+v", r.Period, r)
		}
	}
}

// TestTraffic compares the counts with Listings 4.1 to 4.4, to the cycle. With fewer packets they scale.
func TestTraffic(t *testing.T) {
	t.Parallel()
	b := bench(t)
	packets := uint64(published)
	if testing.Short() {
		packets = 10_000
	}
	got, err := b.Traffic(t.Context(), packets)
	if err != nil {
		t.Fatal(err)
	}
	sizes := []float64{64, 128, 128, 192, 192, 192, 256, 256, 256, 256}
	later := append([]float64{0}, sizes[1:]...)
	all := Monitor{Cycles: 10*packets + 2, Words: packets * 5 / 2, Packets: packets, Bytes: packets * 160,
		Averages: sizes}
	above := Monitor{Cycles: 10*packets + 2, Words: packets * 211 / 100, Packets: packets / 100 * 68,
		Bytes: packets / 100 * 13504, Averages: later}
	want := []Monitor{all, all, above, above}
	if len(got[0].Hits) != 2 || len(got[0].Hits[0]) != 1 || len(got[0].Hits[1]) != 1 {
		t.Fatalf("the first monitor has hits %v", got[0].Hits)
	}
	a, z := got[0].Hits[0][0], got[0].Hits[1][0]
	for i, hits := range [][][]uint64{{{a}, {z}}, {{a + 102}, {z + 102}}, {{}, {z + 104}}, {{}, {z + 207}}} {
		want[i].Hits = hits
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
