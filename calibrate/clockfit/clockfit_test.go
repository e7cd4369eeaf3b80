package clockfit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/calibrate/clockfit"
)

// world is another clock and the way to it, with a known truth: local ticks are ns.
type world struct {
	random   *rand.Rand
	hertz    float64 // of the other clock
	drift    float64 // relative, of its rate
	start    float64 // its count at local time 0
	wander   float64 // ns, amplitude of a slow sine of its phase
	least    float64 // ns, of one way
	extra    float64 // ns, mean of the exponential delay of one way
	skew     float64 // how much longer the way there is than the way back
	preempt  float64 // probability of a delay of a millisecond
	interval float64 // ns between exchanges
	bits     int
	origin   uint64 // local ticks at time 0
}

func (w *world) count(t float64) float64 {
	t += w.wander * math.Sin(2*math.Pi*t/1e9)
	return w.start + t*1e-9*w.hertz*(1+w.drift)
}

func (w *world) exchanges(n int) []clockfit.Exchange {
	var out []clockfit.Exchange
	t := 0.0
	for range n {
		t += w.interval * (0.5 + w.random.Float64())
		way := func(skew float64) float64 {
			d := w.least*skew + w.random.ExpFloat64()*w.extra
			if w.random.Float64() < w.preempt {
				d += 1e6 * w.random.Float64()
			}
			return d
		}
		there, back := way(1+w.skew), way(1-w.skew)
		remote := uint64(w.count(t + there))
		if w.bits > 0 {
			remote &= 1<<w.bits - 1
		}
		out = append(out, clockfit.Exchange{Sent: w.origin + uint64(t), Remote: remote,
			Received: w.origin + uint64(t+there+back)})
		t += there + back
	}
	return out
}

func newWorld(seed uint64) *world {
	return &world{random: rand.New(rand.NewPCG(seed, 9)), hertz: 250e6, start: 1e6, least: 400, extra: 300,
		preempt: 0.02, interval: 1e6, origin: 1 << 50}
}

// TestKnownClocks: the true relation is found within the uncertainty that the fit
// states, for drifts up to 50 ppm, any offset, and clocks of two rates.
func TestKnownClocks(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(seed)
		w.drift = (w.random.Float64()*2 - 1) * 50e-6
		w.start = w.random.Float64() * 1e12
		if seed%2 == 1 {
			w.hertz = 3.3e9
		}
		c, err := clockfit.Fit(w.exchanges(1000), clockfit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rate, e := c.Rate()
		if want := 1e9 / (w.hertz * (1 + w.drift)); math.Abs(rate-want) > 5*e || e > 1e-6*want {
			t.Errorf("seed %d: rate %.12g ± %.2g, want %.12g", seed, rate, e, want)
		}
		for _, at := range []float64{0, 1e8, 5e8, 1e9} {
			remote := uint64(w.count(at))
			local, u := c.Local(remote)
			if d := float64(int64(local - w.origin - uint64(at))); math.Abs(d) > u+2 || u > 1000 {
				t.Errorf("seed %d: at %g ns the local time is off by %g, stated %g", seed, at, d, u)
			}
			back, _ := c.Remote(local)
			if d := math.Abs(float64(int64(back - remote))); d > 1+w.hertz*1e-9 {
				t.Errorf("seed %d: there and back differ by %g ticks", seed, d)
			}
		}
	}
}

// TestAsymmetry: a way that is longer in one direction is within the bound, and no
// fit can see it.
func TestAsymmetry(t *testing.T) {
	w := newWorld(3)
	w.skew = 0.8
	c, err := clockfit.Fit(w.exchanges(2000), clockfit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	local, u := c.Local(uint64(w.count(5e8)))
	d := float64(int64(local - w.origin - 5e8))
	if math.Abs(d) > u || math.Abs(math.Abs(d)-0.8*w.least) > 50 {
		t.Errorf("off by %g with a bound of %g, want about %g", d, u, 0.8*w.least)
	}
}

// TestWander: a clock that wanders by less than a way takes is still followed.
func TestWander(t *testing.T) {
	w := newWorld(4)
	w.wander = 100
	c, err := clockfit.Fit(w.exchanges(3000), clockfit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0.0; at < 3e9; at += 1e8 {
		local, u := c.Local(uint64(w.count(at)))
		if d := math.Abs(float64(int64(local - w.origin - uint64(at)))); d > u+w.wander {
			t.Errorf("at %g ns off by %g, stated %g", at, d, u)
		}
	}
}

// TestWrap: a counter of 32 bits at 250 MHz starts anew every 17 s.
func TestWrap(t *testing.T) {
	w := newWorld(5)
	w.bits, w.interval, w.start = 32, 1e8, 3e9
	c, err := clockfit.Fit(w.exchanges(1000), clockfit.Options{Bits: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{1e9, 20e9, 50e9, 90e9} {
		count := uint64(w.count(at)) & (1<<32 - 1)
		local, u := c.Local(c.Extend(count, w.origin+uint64(at)+1e6))
		if d := math.Abs(float64(int64(local - w.origin - uint64(at)))); d > u+5 {
			t.Errorf("at %g ns off by %g, stated %g", at, d, u)
		}
	}
}

// TestInvariance: the same exchanges at another time, or in ticks of another
// length, give the same clock.
func TestInvariance(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(seed)
		x := w.exchanges(500)
		a, err := clockfit.Fit(x, clockfit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		shift := w.random.Uint64N(1 << 62)
		moved, scaled := make([]clockfit.Exchange, len(x)), make([]clockfit.Exchange, len(x))
		for i, e := range x {
			moved[i] = clockfit.Exchange{Sent: e.Sent + shift, Remote: e.Remote + shift/3, Received: e.Received + shift}
			scaled[i] = clockfit.Exchange{Sent: e.Sent * 8, Remote: e.Remote, Received: e.Received * 8}
		}
		b, err := clockfit.Fit(moved, clockfit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := clockfit.Fit(scaled, clockfit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ra, _ := a.Rate()
		rb, _ := b.Rate()
		rc, _ := c.Rate()
		if ra != rb || math.Abs(rc/8-ra) > 1e-9*ra {
			t.Errorf("rates %g, %g, %g", ra, rb, rc)
		}
		at := uint64(w.count(2e8))
		la, _ := a.Local(at)
		lb, _ := b.Local(at + shift/3)
		lc, _ := c.Local(at)
		if lb-la != shift || math.Abs(float64(int64(lc-8*la))) > 16 {
			t.Errorf("local times %d, %d, %d with a shift of %d", la, lb, lc, shift)
		}
	}
}

// TestRefusals: what cannot be fitted says why.
func TestRefusals(t *testing.T) {
	good := newWorld(1).exchanges(200)
	change := func(f func([]clockfit.Exchange)) []clockfit.Exchange {
		x := append([]clockfit.Exchange(nil), good...)
		f(x)
		return x
	}
	for _, c := range []struct {
		name string
		x    []clockfit.Exchange
		o    clockfit.Options
		want error
	}{
		{"none", nil, clockfit.Options{}, clockfit.ErrTooFew},
		{"few", good[:7], clockfit.Options{}, clockfit.ErrTooFew},
		{"one moment", change(func(x []clockfit.Exchange) {
			for i := range x {
				x[i] = x[0]
			}
		}), clockfit.Options{}, clockfit.ErrNoSpan},
		{"a clock that stands", change(func(x []clockfit.Exchange) {
			for i := range x {
				x[i].Remote = 7
			}
		}), clockfit.Options{}, clockfit.ErrNoSpan},
		{"an answer before the question", change(func(x []clockfit.Exchange) { x[9].Received = x[9].Sent - 1 }),
			clockfit.Options{}, clockfit.ErrCausal},
		{"a clock that goes back", change(func(x []clockfit.Exchange) { x[100].Remote -= 1e9 }), clockfit.Options{},
			clockfit.ErrStep},
		{"a clock that was set", change(func(x []clockfit.Exchange) {
			for i := 100; i < len(x); i++ {
				x[i].Remote += 1e5
			}
		}), clockfit.Options{}, clockfit.ErrStep},
		{"one wrong count", change(func(x []clockfit.Exchange) { x[100].Remote += 20000 }), clockfit.Options{},
			clockfit.ErrStep},
		{"too many bits", good, clockfit.Options{Bits: 8}, clockfit.ErrStep},
	} {
		if _, err := clockfit.Fit(c.x, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := clockfit.Fit(good, clockfit.Options{Windows: 1}); err == nil {
		t.Error("one window is accepted")
	}
}
