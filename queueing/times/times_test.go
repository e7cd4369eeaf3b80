package times

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func draw(n int, next func(*rand.Rand) float64) []float64 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]float64, n)
	for i := range list {
		list[i] = next(r)
	}
	return list
}

// TestOf compares a distribution with its samples.
func TestOf(t *testing.T) {
	samples := draw(10_000, func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 0
		}
		return 1e-6 * r.ExpFloat64()
	})
	d := Of(samples)
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	mean, squares, maximum, zeros := 0.0, 0.0, 0.0, uint64(0)
	for _, x := range samples {
		mean += x / float64(len(samples))
		maximum = max(maximum, x)
		if x == 0 {
			zeros++
		}
	}
	for _, x := range samples {
		squares += (x - mean) * (x - mean) / float64(len(samples))
	}
	if got := d.Mean(); math.Abs(got/mean-1) > 1e-9 {
		t.Errorf("mean %g, want %g", got, mean)
	}
	scv := squares / mean / mean
	if got := d.SCV(); got < scv || got > scv*1.001 {
		t.Errorf("scv %g, want %g and not less", got, scv)
	}
	if d.Samples() != 10_000 || d.Max() != maximum || d.Min() != 0 {
		t.Errorf("%d samples from %g to %g, want 10000 from 0 to %g", d.Samples(), d.Min(), d.Max(), maximum)
	}
	if b := d.Bins[0]; b.To != 0 || b.Count() != zeros {
		t.Errorf("the first bin ends at %g with %d samples, want the %d of 0", b.To, b.Count(), zeros)
	}
	for i := range d.Bins {
		if b := &d.Bins[i]; b.From > 0 && b.To-b.From > max(b.From/32, mean/64) {
			t.Errorf("a bin from %g to %g is too wide", b.From, b.To)
		}
	}
	halves := [2]uint64{}
	for _, b := range d.Bins {
		halves[0], halves[1] = halves[0]+b.Halves[0], halves[1]+b.Halves[1]
	}
	if halves != [2]uint64{5000, 5000} {
		t.Errorf("the halves have %d samples", halves)
	}
}

// TestDependence checks samples with known dependence.
func TestDependence(t *testing.T) {
	independent := Of(draw(1<<15, (*rand.Rand).ExpFloat64))
	for i, r := range independent.Correlations {
		if math.Abs(r) > 0.05 {
			t.Errorf("independent samples: correlation %g at distance %d", r, 1<<i)
		}
	}
	if g := independent.Growth[0]; math.Abs(g-1) > 1e-9 {
		t.Errorf("the variance of single samples grows by %g", g)
	}
	last := 0.0
	pairs := Of(draw(1<<15, func(r *rand.Rand) float64 { // each is half of two draws
		next := r.ExpFloat64()
		x := last + next
		last = next
		return x
	}))
	if r := pairs.Correlations; math.Abs(r[0]-0.5) > 0.03 || math.Abs(r[1]) > 0.03 {
		t.Errorf("correlations of sums of neighbours are %.3g, want 0.5 and 0", r[:2])
	}
	if g := pairs.Growth; math.Abs(g[6]-2) > 0.3 {
		t.Errorf("sums of 64 vary %.3g times as much as independent ones, want 2", g[6])
	}
	constant := Of(draw(1000, func(*rand.Rand) float64 { return 3e-7 }))
	if r := constant.Correlations; len(r) == 0 || r[0] != 0 {
		t.Errorf("what does not vary has the correlations %g", r)
	}
}

// TestRuns checks that correlations do not cross the borders of runs, and that halves follow the order.
func TestRuns(t *testing.T) {
	var runs [][]float64
	for i := range 100 {
		run := make([]float64, 70)
		for j := range run {
			run[j] = float64(i % 2)
		}
		runs = append(runs, run)
	}
	d := Of(runs...)
	if d.Runs != 100 || math.Abs(d.Correlations[0]-1) > 1e-9 {
		t.Errorf("%d runs, correlation %g within each, want 100 and 1", d.Runs, d.Correlations[0])
	}
}

// TestClips checks samples that are dependent except for rare long ones. They are independent if all but these are
// clipped.
func TestClips(t *testing.T) {
	i := 0
	d := Of(draw(1<<15, func(r *rand.Rand) float64 {
		i++
		if r.IntN(50) == 0 {
			return 5
		}
		return 1 + 0.5*math.Sin(float64(i)/50)
	}))
	if r := d.Correlations[0]; r < 0.2 {
		t.Errorf("a slow wave has the correlation %g", r)
	}
	f := d.each(func(x float64) float64 { return max(x, d.Floors[1].At) }) // of 90 % of the samples
	if f.Min() < 1.4 || f.Min() > 1.5 || f.Max() != 5 || f.Samples() != 1<<15 || f.Mean() < d.Mean() {
		t.Errorf("clipped, samples from %g to %g, want 1.5 to 5", f.Min(), f.Max())
	}
	for i, r := range d.Floors[1].Correlations {
		if math.Abs(r) > 0.08 {
			t.Errorf("clipped, correlation %g at distance %d", r, 1<<i)
		}
	}
	if c := d.Caps[2]; c.At > 0.51 || c.At < d.Min() {
		t.Errorf("samples from %g are capped at %g", d.Min(), c.At)
	}
	s := d.Scaled(2).Shifted(1)
	if s.Min() != 2*d.Min()+1 || s.Floors[1].At != 2*d.Floors[1].At+1 || s.Correlations[0] != d.Correlations[0] {
		t.Errorf("scaled and shifted: %+v", s)
	}
}

// TestValidate checks that invalid distributions are rejected.
func TestValidate(t *testing.T) {
	for _, d := range []Distribution{
		{},
		{Bins: []Bin{{From: 1, To: 2, Mean: 3, Halves: [2]uint64{1, 1}}}},
		{Bins: []Bin{{From: 1, To: 2, Mean: 1.5}}},
		{Bins: []Bin{{From: 1, To: 2, Mean: 1.5, Halves: [2]uint64{1, 1}}, {From: 2, To: 2, Mean: 2,
			Halves: [2]uint64{1}}}},
		{Bins: []Bin{{From: 1, To: math.Inf(1), Mean: 2, Halves: [2]uint64{1, 1}}}},
		{Bins: []Bin{{From: 1, To: 1, Mean: 1, Halves: [2]uint64{1}}},
			Dependence: Dependence{Growth: []float64{math.NaN()}}},
	} {
		if d.Validate() == nil {
			t.Errorf("%+v is taken", d)
		}
	}
}

// TestOrder checks that the samples can be replayed in order, also when changed, and as stored in a profile.
func TestOrder(t *testing.T) {
	samples := draw(3000, (*rand.Rand).ExpFloat64)
	d := Of(samples[:1000], samples[1000:])
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var read Distribution
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	floor := read.each(func(x float64) float64 { return max(x, read.Floors[0].At) })
	if len(read.Order) != len(samples) || len(floor.Order) != len(samples) {
		t.Fatalf("%d and %d samples in order, want %d", len(read.Order), len(floor.Order), len(samples))
	}
	for i, x := range samples {
		b, f := &read.Bins[read.Order[i]], &floor.Bins[floor.Order[i]]
		if x < b.From || x > b.To || max(x, floor.Min()) < f.From || max(x, floor.Min()) > f.To {
			t.Fatalf("sample %d, %g, is not between %g and %g, or %g and %g", i, x, b.From, b.To, f.From, f.To)
		}
	}
	for _, bad := range []string{`{"order": 3}`, `{"order": "???"}`, `{"order": "AA=="}`} {
		if err := json.Unmarshal([]byte(bad), &read); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	d.Order[7] = uint16(len(d.Bins))
	if d.Validate() == nil {
		t.Error("a bin that is not there is taken")
	}
}
