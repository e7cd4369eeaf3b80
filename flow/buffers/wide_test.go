package buffers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
	"xopt/queueing/times"
)

// wideApp returns an application of 5 to 7 kernels, each on a core, as a chain or two branches that join. Firings of
// some kernels rarely take thousands of times as long as usual.
func wideApp(t *testing.T, r *rand.Rand) (*flow.Network, *flow.Solution) {
	t.Helper()
	n := 5 + r.IntN(3)
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"std.x\"\n")
	top, impls, maps := "", "", ""
	last := n - 1
	diamond := r.IntN(5) < 2
	for k := range n {
		ports := "input UNSIGNED32 x; output UNSIGNED32 y;"
		switch {
		case k == 0 && diamond:
			ports = "output UNSIGNED32 y; output UNSIGNED32 z; emit 1 y, 1 z;"
		case k == 0:
			ports = "output UNSIGNED32 y;"
		case k == last && diamond:
			ports = "input UNSIGNED32 x; input UNSIGNED32 w; join 1 x, 1 w;"
		case k == last:
			ports = "input UNSIGNED32 x;"
		}
		fmt.Fprintf(&b, "block K%d { %s };\n", k, ports)
		top += fmt.Sprintf("K%d k%d; ", k, k)
		gain := ", gain=1"
		if k == last || k == 0 {
			gain = ""
		}
		impls += fmt.Sprintf("impl K%d on C (mu=\"%.4gMB/s\"%s);\n", k, 4/(.6+.4*r.Float64()), gain)
		maps += fmt.Sprintf("map { top.k%d } to p[%d];\n", k, k+1)
	}
	edge := func(from, to string) {
		top += fmt.Sprintf("e_%s: %s -> %s; ", strings.ReplaceAll(from, ".", ""), from, to)
	}
	half := n / 2
	for k := 1; k < n; k++ {
		switch {
		case diamond && k == half:
			edge("k0.z", fmt.Sprintf("k%d.x", k))
		case diamond && k == last:
			edge(fmt.Sprintf("k%d.y", half-1), fmt.Sprintf("k%d.x", last))
			edge(fmt.Sprintf("k%d.y", last-1), fmt.Sprintf("k%d.w", last))
		default:
			edge(fmt.Sprintf("k%d.y", k-1), fmt.Sprintf("k%d.x", k))
		}
	}
	fmt.Fprintf(&b, "block top { %s };\nuse top;\nresource p[%d] is C;\n", top, n)
	fmt.Fprintf(&b, "resource mem is memory ({ p }, bandwidth=\"unlimited\");\n%s%s", impls, maps)
	d := flowtest.X{Files: []string{}, More: b.String()}.Design(t, design.Options{Purpose: design.ForMapping})
	for k := range n {
		at := d.Mapping.Place[k]
		f := &d.Problem.Figures[k][at]
		switch mean := 4 / f.ServiceRate; r.IntN(4) {
		case 0, 1:
			f.Times = rareTimes(mean, 1e-4*(1+99*r.Float64()*r.Float64()), .2+.5*r.Float64())
		case 2:
			f.ServiceSCV = 1 + 9*r.Float64()
		default:
			f.ServiceSCV = .1
		}
		if f.Times != nil {
			f.ServiceSCV = f.Times.SCV()
		}
	}
	return solve(t, d.Problem, d.Mapping)
}

// rareTimes returns a distribution in which a fraction rare of the firings is long and makes a share part of
// the total time.
func rareTimes(mean, rare, part float64) *times.Distribution {
	const samples = 1e6
	bin := func(x float64, n uint64) times.Bin {
		return times.Bin{From: x, To: x, Mean: x, Halves: [2]uint64{n / 2, n - n/2}}
	}
	long := uint64(samples * rare)
	return &times.Distribution{Bins: []times.Bin{bin(mean*(1-part), samples-long), bin(mean*part/rare, long)}}
}

// TestFrontWide: if a few long firings dominate the service times, the memory of different seeds differs by
// less than a factor of 1.6. Longer simulations with other seeds confirm the sizes.
func TestFrontWide(t *testing.T) {
	testkit.Long(t, "it simulates many sizes; TestFrontSeeds confirms sizes in longer simulations, too")
	const (
		checks = 2
		others = 1000      // first seed of the checks
		large  = 64        // sizes that throughput is compared with
		keeps  = .99 - .01 // with a margin for chance in the checks
	)
	const seeds = 3
	r := rand.New(rand.NewPCG(1, 35))
	for app := range 2 {
		n, s := wideApp(t, r)
		sizes, err := buffers.Verified(context.Background(), n, s)
		if err != nil {
			t.Fatal(err)
		}
		var start, maximum []int
		for e := range sizes {
			start, maximum = append(start, int(sizes[e].Elements)), append(maximum, large*int(sizes[e].Elements))
		}
		model, err := buffers.Network(n, s, buffers.Setting{})
		if err != nil {
			t.Fatal(err)
		}
		sim, err := model.Simulator()
		if err != nil {
			t.Fatal(err)
		}
		run := func(sizes []int, seed uint64) float64 {
			out, err := sim.Run(context.Background(), sizes, maxplus.Options{Events: 2_000_000, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			return out.Throughput.Value
		}
		find := func(seed uint64) (*buffers.Front, error) {
			return buffers.NewFront(context.Background(), n, s, start, buffers.FrontOptions{Seed: seed})
		}
		var fullRates [checks]float64
		for check := range fullRates {
			fullRates[check] = run(maximum, others+uint64(check))
		}
		sameForSeeds(t, seeds, find, func(seed uint64, front *buffers.Front) {
			at := &front.Points[front.Chosen]
			kept := 0.0
			for check, full := range fullRates {
				kept += run(at.Sizes, others+uint64(check)) / full / checks
			}
			t.Logf("app %d, seed %d: %.0f bytes keep %.4f", app, seed, at.Memory, kept)
			if kept < keeps {
				t.Errorf("app %d, seed %d: %.0f bytes keep %.4f in longer simulations, want %g", app, seed, at.Memory,
					kept, keeps)
			}
		})
	}
}

// sameForSeeds finds the front of each seed, passes it to check, and compares the memories of the chosen sizes: they
// differ by less than a factor of 1.6.
func sameForSeeds(t *testing.T, seeds uint64, find func(seed uint64) (*buffers.Front, error),
	check func(seed uint64, front *buffers.Front)) {
	t.Helper()
	const spread = 1.6
	minimum, greatest := math.Inf(1), 0.0
	for seed := uint64(1); seed <= seeds; seed++ {
		front, err := find(seed)
		if err != nil {
			t.Fatal(err)
		}
		memory := front.Points[front.Chosen].Memory
		minimum, greatest = min(minimum, memory), max(greatest, memory)
		check(seed, front)
	}
	if greatest > spread*minimum {
		t.Errorf("seeds choose %.0f to %.0f bytes, want a factor of less than %g", minimum, greatest, spread)
	}
}
