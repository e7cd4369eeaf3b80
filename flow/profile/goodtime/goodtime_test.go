package goodtime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// slowMode returns the half-sample mode as defined by Robertson and Cryer: among all pairs of values with half
// of the values between them, it takes the nearest one, and recursively the values between them.
func slowMode(values []float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	if len(values) <= 2 {
		return (values[0] + values[len(values)-1]) / 2
	}
	if len(values) == 3 {
		switch a, b := values[1]-values[0], values[2]-values[1]; {
		case a < b:
			return (values[0] + values[1]) / 2
		case a > b:
			return (values[1] + values[2]) / 2
		}
		return values[1]
	}
	best := []float64(nil)
	for i := range values {
		for j := i; j < len(values); j++ {
			inside := values[i : j+1]
			if 2*len(inside) >= len(values) && (best == nil || len(inside) == (len(values)+1)/2 &&
				inside[len(inside)-1]-inside[0] < best[len(best)-1]-best[0]) {
				best = inside
			}
		}
	}
	return slowMode(best)
}

// slowLowerMode looks for the mode of all values below a limit, which goes down as long as a share of all is below it.
func slowLowerMode(values []float64) float64 {
	limit := math.Inf(1)
	for {
		var lower []float64
		for _, x := range values {
			if x < limit {
				lower = append(lower, x)
			}
		}
		mode := slowMode(lower)
		n := 0
		for _, x := range values {
			if x < mode*(1-below) {
				n++
			}
		}
		if n < fewest || float64(n) < minShare*float64(len(values)) {
			return mode
		}
		limit = mode * (1 - below)
	}
}

// TestHalfSampleMode: the result equals that of the slow twin.
func TestHalfSampleMode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		values := make([]float64, 1+random.IntN(40))
		for i := range values {
			values[i] = math.Exp(random.NormFloat64())
		}
		sorted := slices.Sorted(slices.Values(values))
		if got, want := halfSampleMode(sorted), slowMode(values); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %g, want %g", sorted, got, want)
		}
	}
}

// TestLowerMode: a fixed piece of work takes 1 undisturbed, and 1.7 for most of the time. Single values far below
// are no mode, and single values far above do not matter.
func TestLowerMode(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, good := range []float64{1, 0.5, 0.2, 0.1} {
		var values []float64
		for i := range 400 {
			x := 1 + 0.005*random.NormFloat64()
			if float64(i) >= 400*good {
				x *= 1.7
			}
			if i%50 == 0 {
				x *= 1 + 3*random.Float64()
			}
			if i%100 == 1 {
				x *= 0.6
			}
			values = append(values, x)
		}
		got := LowerMode(values)
		if math.Abs(got-1) > 0.01 {
			t.Errorf("with %.0f %% of good time: %g, want 1", 100*good, got)
		}
		if want := slowLowerMode(values); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g, and the slow twin finds %g", got, want)
		}
	}
	if !math.IsNaN(LowerMode(nil)) || LowerMode([]float64{3}) != 3 {
		t.Error("of none or one")
	}
}

// truth is a kernel with a known undisturbed cost and known sensitivities.
type truth struct {
	cost float64
	b    []float64
}

// drawn returns runs of the kernel with several windows each. A run is undisturbed or not; if not, each probe is
// slowed by a random part of slow. Costs have an independent error and one per run; noise is both.
func (x *truth) drawn(random *rand.Rand, runs, each int, good, noise float64, slow []float64) []Window {
	var list []Window
	for run := range runs {
		bad, mine := random.Float64() >= good, noise*random.NormFloat64()
		for range each {
			w := Window{Run: run, Slow: make([]float64, len(x.b))}
			l := math.Log(x.cost) + mine/2 + noise*random.NormFloat64()
			for j := range w.Slow {
				if bad {
					w.Slow[j] = math.Log(1 + slow[j]*(0.3+0.7*random.Float64()))
				}
				l += x.b[j] * w.Slow[j]
				w.Slow[j] += 0.003 * random.NormFloat64()
			}
			w.Cost = math.Exp(l)
			list = append(list, w)
		}
	}
	return list
}

// TestFit: for two phases, the undisturbed cost and the sensitivities are found. Probes unrelated to the kernel,
// slowed or not, get 0, or a value that cannot be distinguished from it.
func TestFit(t *testing.T) {
	for name, x := range map[string]struct {
		truth
		good float64
		slow []float64
	}{
		"one probe":           {truth{5e-9, []float64{0, 0, 0.8, 0, 0}}, 0.5, []float64{0, 0, 1, 0, 0}},
		"two of five":         {truth{5e-9, []float64{0.3, 0, 0.8, 0, 0}}, 0.5, []float64{0.5, 0.6, 1, 0.5, 0.02}},
		"none":                {truth{2e-9, []float64{0, 0, 0, 0, 0}}, 0.5, []float64{0.5, 0.6, 1, 0.5, 0.02}},
		"never slowed":        {truth{2e-9, []float64{1, 1, 1, 1, 1}}, 1, []float64{1, 1, 1, 1, 1}},
		"a tenth in good":     {truth{2e-9, []float64{0, 0, 1, 0.5, 0}}, 0.1, []float64{0.1, 0.6, 1, 0.5, 0.02}},
		"faster than a probe": {truth{2e-9, []float64{0, 1.4, 0, 0, 0}}, 0.4, []float64{0, 0.5, 0, 0, 0}},
		"always a little off": {truth{2e-9, []float64{0, 0, 0.9, 0, 0}}, 0, []float64{0, 0, 0.3, 0, 0}},
	} {
		windows := x.drawn(rand.New(rand.NewPCG(3, 1)), 60, 4, x.good, 0.005, x.slow)
		for i := range windows { // spikes
			if i%29 == 0 {
				windows[i].Cost *= 3
			}
		}
		f := Of(windows)
		tolerance := 0.01
		if x.good == 0 {
			tolerance = 0.03
		}
		if off := f.GoodCost()/x.cost - 1; math.Abs(off) > tolerance {
			t.Errorf("%s: the cost is off by %.2f %%", name, 100*off)
		}
		for j, want := range x.b {
			if x.good == 1 { // not known
				if f.Sensitivity[j] != 0 || f.Deviation[j] != prior {
					t.Errorf("%s: b_%d is %.2f ± %.2f, and nothing tells", name, j, f.Sensitivity[j], f.Deviation[j])
				}
			} else if want == 0 && f.Sensitivity[j] != 0 {
				t.Errorf("%s: b_%d is %.2f", name, j, f.Sensitivity[j])
			} else if math.Abs(f.Sensitivity[j]-want) > 0.12 {
				t.Errorf("%s: b_%d is %.2f, want %.2f", name, j, f.Sensitivity[j], want)
			}
		}
	}
}

// disturbed returns runs of a kernel beside a disturbance that no probe measures. The costs of successive runs are
// correlated by a factor, those of windows of one run are similar, and a part of the windows is slowed by half.
func (x *truth) disturbed(random *rand.Rand, runs, each int, follows, deviation, slowed float64) []Window {
	var list []Window
	state := random.NormFloat64()
	for run := range runs {
		state = follows*state + math.Sqrt(1-follows*follows)*random.NormFloat64()
		for range each {
			w := Window{Run: run, Slow: make([]float64, len(x.b))}
			l := math.Log(x.cost) + deviation*state + 0.01*random.NormFloat64()
			if random.Float64() < slowed {
				l += math.Log(1.5)
			}
			w.Cost = math.Exp(l)
			list = append(list, w)
		}
	}
	return list
}

// TestRepeats: with disturbances that are correlated in successive runs, the interval of one measurement contains the
// cost of a second one in at least 90 % of the cases. On a quiet machine it is narrow.
func TestRepeats(t *testing.T) {
	x := truth{5e-9, []float64{0, 0, 0, 0, 0}}
	for _, c := range []struct {
		runs                       int
		follows, deviation, slowed float64
		narrow                     bool
	}{{4, 0, 0.002, 0, true}, {12, 0, 0.002, 0, true}, {3, 0, 0.1, 0, false}, {6, 0, 0.1, 0.2, false},
		{4, 0.5, 0.1, 0, false}, {8, 0.5, 0.1, 0.2, false}, {16, 0.5, 0.1, 0, false}, {8, 0.8, 0.1, 0, false},
		{16, 0.8, 0.1, 0.1, false}, {32, 0.9, 0.1, 0, false}, {2, 0, 0.1, 0, false}, {4, 0, 0, 0, true}} {
		random := rand.New(rand.NewPCG(11, uint64(c.runs)))
		covered, sets, widest := 0, 100, 0.0
		for range sets {
			windows := x.disturbed(random, c.runs, 5, c.follows, c.deviation, c.slowed)
			f := Of(windows)
			again := Of(x.disturbed(random, c.runs, 5, c.follows, c.deviation, c.slowed))
			low, high, ok := f.Interval(windows, 1)
			if ok && low <= again.GoodCost() && again.GoodCost() <= high {
				covered++
			}
			widest += math.Log(high/low) / 2 / float64(sets)
		}
		t.Logf("%+v: %d of %d; ± %g", c, covered, sets, widest)
		if covered < sets*9/10 || c.narrow && widest > 0.025 {
			t.Errorf("%+v: %d of %d intervals contain the repetition, within ± %g in the mean", c, covered, sets,
				widest)
		}
	}
}

// TestInterval: for data sets with known costs and fixed seeds, the interval of 95 % contains at least nine of ten.
// Without the correction the error of the median of the windows exceeds the width of the interval.
func TestInterval(t *testing.T) {
	x := truth{5e-9, []float64{0, 0.4, 0.8, 0, 0}}
	covered, sets := 0, 60
	for seed := range sets {
		windows := x.drawn(rand.New(rand.NewPCG(uint64(seed), 1)), 10, 4, 0.4, 0.01, []float64{0.3, 0.5, 1, 0.2, 0})
		f := Of(windows)
		low, high, ok := f.Interval(windows, 1)
		if !ok || low > f.GoodCost() || high < f.GoodCost() {
			t.Fatalf("seed %d: %g in %g to %g", seed, f.GoodCost(), low, high)
		}
		if low <= x.cost && x.cost <= high {
			covered++
		}
	}
	if covered < sets*9/10 {
		t.Errorf("%d of %d intervals hold the truth", covered, sets)
	}
}

// TestUnknown: if all windows were equally slow, the undisturbed cost is unknown, and the interval is wide.
func TestUnknown(t *testing.T) {
	x := truth{5e-9, []float64{0, 0, 1, 0, 0}}
	windows := x.drawn(rand.New(rand.NewPCG(7, 1)), 10, 4, 1, 0.005, make([]float64, 5))
	for i := range windows {
		windows[i].Cost *= 1.4
		windows[i].Slow[2] += math.Log(1.5)
	}
	f := Of(windows)
	if low, high, ok := f.Interval(windows, 1); !ok || low > x.cost || high/low < 1.3 {
		t.Errorf("%g in %g to %g, and good time is %g", f.GoodCost(), low, high, x.cost)
	}
	one := windows[:4]
	f = Of(one)
	if _, _, ok := f.Interval(one, 1); ok {
		t.Error("one run has an interval")
	}
}

// subsets solves the same least squares for every subset of probes with non-zero sensitivities, and returns the
// best one without a negative one.
func subsets(s *sums, pull float64) []float64 {
	n := len(s.along)
	best, minimum := make([]float64, n), 0.0
	for set := 1; set < 1<<n; set++ {
		var in []int
		for j := range n {
			if set>>j&1 == 1 {
				in = append(in, j)
			}
		}
		a, h := mat.NewDense(len(in), len(in), nil), mat.NewVecDense(len(in), nil)
		for p, j := range in {
			h.SetVec(p, s.along[j])
			for q, k := range in {
				a.Set(p, q, s.gram.At(j, k))
			}
			a.Set(p, p, a.At(p, p)+pull)
		}
		var b mat.VecDense
		if b.SolveVec(a, h) != nil {
			continue
		}
		value, possible := 0.0, true
		for p := range in {
			value -= b.AtVec(p) * h.AtVec(p) / 2 // at the minimum of b·a·b/2 - h·b
			possible = possible && b.AtVec(p) >= 0
		}
		if possible && value < minimum {
			minimum, best = value, make([]float64, n)
			for p, j := range in {
				best[j] = b.AtVec(p)
			}
		}
	}
	return best
}

// TestSolve: the sensitivities equal those of the slow twin, which tries all subsets of probes.
func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for set := range 200 {
		windows := make([]Window, 3+random.IntN(40))
		weights := make([]float64, len(windows))
		for i := range windows {
			windows[i] = Window{Cost: math.Exp(random.NormFloat64()), Slow: make([]float64, 5), Run: i / 4}
			common := random.NormFloat64() // probes are slowed together
			for j := range windows[i].Slow {
				windows[i].Slow[j] = 0.8*common + 0.4*random.NormFloat64()
			}
			weights[i] = 0.1 + random.Float64()
		}
		s := summed(windows, weights)
		got, want := s.solve(0.01, []bool{true, true, true, true, true}), subsets(s, 0.01)
		for j := range got {
			if math.Abs(got[j]-want[j]) > 1e-6 {
				t.Fatalf("set %d: %v, want %v", set, got, want)
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	x := truth{5e-9, []float64{0, 0.4, 0.8, 0, 0}}
	windows := x.drawn(rand.New(rand.NewPCG(1, 1)), 10, 4, 0.4, 0.01, []float64{0.3, 0.5, 1, 0.2, 0})
	b.ReportAllocs()
	for b.Loop() {
		f := Of(windows)
		if _, _, ok := f.Interval(windows, 1); !ok {
			b.Fatal("no interval")
		}
	}
}
