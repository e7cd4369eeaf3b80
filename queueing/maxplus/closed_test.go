package maxplus

import (
	"fmt"
	"math"
	"testing"
)

// TestMD1 checks that the mean number in an M/D/1 station is ρ + ρ²/2/(1-ρ) (Pollaczek and Khinchin).
func TestMD1(t *testing.T) {
	for _, rho := range []float64{.3, .6, .8} {
		r := run(t, tandem(0, Exponential(1/rho), Constant(1)), Options{Events: 1_000_000, Seed: 3, Occupancy: true})
		near(t, fmt.Sprintf("mean number at ρ = %g", rho), r.Buffers[0].Mean, rho+rho*rho/2/(1-rho), .02)
		near(t, "throughput", rate(r, 1), rho, .01)
	}
}

// blockedTandem returns the throughput of a saturated source and two more stations, with exponential services and
// buffers of a and b elements. It solves the Markov chain of the two occupancies. The source works while the first
// buffer has room, and the middle while the first has an element and the second has room.
func blockedTandem(rates [3]float64, a, b int) float64 {
	n := (a + 1) * (b + 1)
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	fastest := rates[0] + rates[1] + rates[2]
	for range 20_000 { // the power method on the uniformized chain
		q := make([]float64, n)
		for x := 0; x <= a; x++ {
			for y := 0; y <= b; y++ {
				here := p[x*(b+1)+y]
				stay := 1.0
				move := func(can bool, rate float64, to int) {
					if can {
						q[to] += here * rate / fastest
						stay -= rate / fastest
					}
				}
				move(x < a, rates[0], (x+1)*(b+1)+y)
				move(x > 0 && y < b, rates[1], (x-1)*(b+1)+y+1)
				move(y > 0, rates[2], x*(b+1)+y-1)
				q[x*(b+1)+y] += here * stay
			}
		}
		p = q
	}
	through := 0.0
	for x := 0; x <= a; x++ {
		for y := 1; y <= b; y++ {
			through += p[x*(b+1)+y] * rates[2]
		}
	}
	return through
}

// TestTandem compares finite buffers between exponential stages with the Markov chain.
func TestTandem(t *testing.T) {
	for _, c := range []struct {
		rates [3]float64
		a, b  int
	}{{[3]float64{1, 1, 1}, 1, 1}, {[3]float64{1, 1, 1}, 4, 4}, {[3]float64{2, 1, 1.5}, 2, 5}, {[3]float64{1, 2, .9}, 7,
		1}} {
		n := tandem(0, Exponential(1/c.rates[0]), Exponential(1/c.rates[1]), Exponential(1/c.rates[2]))
		n.Buffers[0].Size, n.Buffers[1].Size = c.a, c.b
		want := blockedTandem(c.rates, c.a, c.b)
		for _, occupancy := range []bool{false, true} { // by recursion, and by events
			r := run(t, n, Options{Events: 600_000, Seed: 11, Occupancy: occupancy})
			near(t, fmt.Sprintf("throughput of %+v", c), rate(r, 2), want, .01)
			got := r.Rate([]float64{0, 0, 1})
			if !(got.Low <= want*1.004 && got.High >= want*.996) {
				t.Errorf("%+v: the interval from %g to %g is not about %g", c, got.Low, got.High, want)
			}
		}
	}
}

// TestDeterministic checks that the throughput of a pipeline with constant services is that of its slowest cycle: a
// stage, or a buffer that its writer and reader use alternately.
func TestDeterministic(t *testing.T) {
	for _, c := range []struct {
		size int
		want float64
	}{{1, 1. / 7}, {2, 1. / 4}, {9, 1. / 4}} {
		r := run(t, tandem(c.size, Constant(3), Constant(4), Constant(2)), Options{Events: 3000})
		got := r.WorkRate([]float64{0, .25})
		near(t, fmt.Sprintf("throughput with buffers of %d", c.size), got.Value, c.want, .005)
	}
}

// TestSharing checks that a processor-sharing server with Poisson arrivals has ρ/(1-ρ) elements on average, for any
// service distribution.
func TestSharing(t *testing.T) {
	const rho = .6
	n := &Network{Servers: []Server{{Discipline: Sharing}}}
	const classes = 40 // so many that elements of one class hardly ever coincide
	for range classes {
		i := len(n.Stations)
		n.Stations = append(n.Stations, Station{Server: -1, Service: Exponential(classes / rho)},
			Station{Server: 0, Service: Constant(1)})
		n.Channels = append(n.Channels, Channel{From: i, To: i + 1, Sends: Emission{PerFiring: 1}})
		n.Buffers = append(n.Buffers, Buffer{Channels: []int{len(n.Channels) - 1}})
	}
	r := run(t, n, Options{Events: 400_000, Seed: 5, Occupancy: true})
	stored := 0.0
	for _, b := range r.Buffers {
		stored += b.Mean
	}
	near(t, "mean number", stored, rho/(1-rho), .04)
}

// TestLatency checks that elements stay in an M/M/1 station for 1/(μ-λ) on average, and 99 % of them for at most
// log(100)/(μ-λ).
func TestLatency(t *testing.T) {
	r := run(t, tandem(0, Exponential(2), Exponential(1)), Options{Events: 1_000_000, Seed: 9, Latency: true})
	near(t, "mean", r.Latency.Mean, 2, .03)
	near(t, "p99", r.Latency.P99, 2*math.Log(100), .05)
	if !r.Latency.Steady {
		t.Error("latency is not steady")
	}
}

// TestBulk checks the virtual queue of a link that moves 64 elements together, .05 each, before a server of mean 1 at ρ
// = .9. It has 67.8 elements on average, (64-1)/2 of them before the link (an event simulation of two million
// arrivals).
func TestBulk(t *testing.T) {
	const bulk, rho = 64, .9
	n := &Network{Stations: []Station{{Server: -1, Service: Exponential(1 / rho)}, {Server: -1, Bulk: bulk,
		PerElement: .05, Flush: math.Inf(1)}, {Server: -1, Service: Exponential(1)}},
		Channels: []Channel{{From: 0, To: 1, Sends: Emission{PerFiring: 1}}, {From: 1, To: 2,
			Sends: Emission{PerFiring: 1}}},
		Buffers: []Buffer{{Channels: []int{0, 1}}}}
	r := run(t, n, Options{Events: 2_000_000, Seed: 1, Occupancy: true})
	near(t, "mean of the virtual queue", r.Buffers[0].Mean, 67.8, .03)
}

// TestDeadlock checks that a join of 3 with a buffer of 2 stops, and that the result lists the waits.
func TestDeadlock(t *testing.T) {
	n := tandem(2, Constant(1), Constant(1))
	n.Channels[0].Consumes = 3
	for _, occupancy := range []bool{false, true} {
		r := run(t, n, Options{Occupancy: occupancy})
		if r.Deadlock == nil || len(r.Deadlock.Cycle) != 2 {
			t.Fatalf("no deadlock of two: %+v", r.Deadlock)
		}
		for _, w := range r.Deadlock.Cycle {
			switch {
			case w.Full && (w.Station != 0 || w.Needs != 1 || w.Has != 0):
				t.Errorf("the writer waits as %+v", w)
			case !w.Full && (w.Station != 1 || w.Needs != 3 || w.Has != 2):
				t.Errorf("the reader waits as %+v", w)
			}
		}
	}
	// A loop without elements stops at once; with one element it runs.
	loop := &Network{Stations: []Station{{Server: -1, Service: Constant(1)}, {Server: -1, Service: Constant(2)}},
		Channels: []Channel{{From: 0, To: 1, Sends: Emission{PerFiring: 1}}, {From: 1, To: 0,
			Sends: Emission{PerFiring: 1}}}}
	if r := run(t, loop, Options{}); r.Deadlock == nil || r.Events != 0 || len(r.Deadlock.Cycle) != 2 {
		t.Errorf("a loop without elements: %+v after %d events", r.Deadlock, r.Events)
	}
	loop.Channels[1].Initial = 1
	if r := run(t, loop, Options{Events: 3000}); r.Deadlock != nil || math.Abs(rate(r, 0)-1./3) > .002 {
		t.Errorf("a loop with one element: %+v, %g", r.Deadlock, rate(r, 0))
	}
}

// TestValidate checks that invalid networks are rejected.
func TestValidate(t *testing.T) {
	for name, change := range map[string]func(n *Network){
		"a channel to nowhere":    func(n *Network) { n.Channels[0].To = 9 },
		"half an element exactly": func(n *Network) { n.Channels[0].Sends.PerFiring = .5 },
		"a jitter below 0":        func(n *Network) { n.Channels[0].Jitter = -1 },
		"a jitter without end":    func(n *Network) { n.Channels[0].Jitter = math.Inf(1) },
		"a latency below 0":       func(n *Network) { n.Channels[0].Latency = -1 },
		"a server that is not":    func(n *Network) { n.Stations[0].Server = 3 },
		"an empty trace":          func(n *Network) { n.Stations[0].Service = Trace{} },
		"a mean without end":      func(n *Network) { n.Stations[0].Service = Constant(math.Inf(1)) },
		"too many at the start":   func(n *Network) { n.Channels[0].Initial = 5 },
		"a buffer of nothing":     func(n *Network) { n.Buffers[0].Channels = nil },
		"a group left out":        func(n *Network) { n.Channels[0].Group = 1 },
	} {
		n := tandem(2, Constant(1), Constant(1))
		change(n)
		if _, err := New(n); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}
