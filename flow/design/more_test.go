package design

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/mapper"
)

// machine contains the parameters that the test of more resources varies.
type machine struct {
	cores, fpgas int
	bus          float64 // MB/s
	duplex       string
	memory       float64 // MB/s; 0 for none
	sharing      string
	speed        float64 // factor of the service rates on cores
}

// text writes the machine and the figures of a chain of kernels: the second half of rates is
// for FPGAs, 0 for no implementation.
func (m machine) text(rates []float64) string {
	var b strings.Builder
	kernels := len(rates) / 2
	fmt.Fprintf(&b, "#include \"std.x\"\nblock S { output UNSIGNED8 y; };\nblock T { input UNSIGNED8 x; };\n")
	for k := 1; k < kernels-1; k++ {
		fmt.Fprintf(&b, "block B%d { input UNSIGNED8 x; output UNSIGNED8 y; };\n", k)
	}
	b.WriteString("block top { S k0;")
	for k := 1; k < kernels-1; k++ {
		fmt.Fprintf(&b, " B%d k%d;", k, k)
	}
	fmt.Fprintf(&b, " T k%d;", kernels-1)
	for k := 1; k < kernels; k++ {
		fmt.Fprintf(&b, " e%d: k%d.y -> k%d.x;", k, k-1, k)
	}
	fmt.Fprintf(&b, " };\nresource proc[%d] is C;\nresource fpga[%d] is HDL(lut=100);\n", m.cores, m.fpgas)
	fmt.Fprintf(&b, "resource io is bus ({ proc, fpga }, bandwidth=\"%gMB/s\", duplex=\"%s\", sharing=\"%s\");\n",
		m.bus, m.duplex, m.sharing)
	if m.memory > 0 {
		fmt.Fprintf(&b, "resource mem is memory ({ proc }, bandwidth=\"%gMB/s\");\n", m.memory)
	}
	for k := range kernels {
		name, gain := fmt.Sprintf("B%d", k), ", gain=0.5"
		switch k {
		case 0:
			name, gain = "S", ""
		case kernels - 1:
			name, gain = "T", ""
		}
		fmt.Fprintf(&b, "impl %s on C (mu=\"%gMB/s\"%s);\n", name, m.speed*rates[k], gain)
		if fast := rates[kernels+k]; fast > 0 {
			fmt.Fprintf(&b, "impl %s on HDL (mu=\"%gMB/s\"%s, lut=60);\n", name, fast, gain)
		}
	}
	return b.String()
}

// TestMoreNeverLess: with more cores, FPGAs, links, bandwidth or speed the best mapping is
// never slower; nor is it where a link carries its bandwidth in both directions at once.
func TestMoreNeverLess(t *testing.T) {
	best := func(m machine, rates []float64) float64 {
		d := mustLower(t, Options{}, m.text(rates))
		r, err := mapper.Search(context.Background(), d.Problem, d.Constraints,
			mapper.Options{Method: mapper.Exhaustive})
		if err != nil {
			t.Fatalf("%v\n%s", err, m.text(rates))
		}
		return r.Candidates[0].Throughput
	}
	more := map[string]func(*machine){
		"full duplex":         func(m *machine) { m.duplex = "full" },
		"twice the bandwidth": func(m *machine) { m.bus *= 2 },
		"a core":              func(m *machine) { m.cores++ },
		"an FPGA":             func(m *machine) { m.fpgas++ },
		"a memory":            func(m *machine) { m.memory = 20 },
		"conserving sharing":  func(m *machine) { m.sharing = "conserving" },
		"faster cores":        func(m *machine) { m.speed = 1.5 },
	}
	risen := make(map[string]int)
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := machine{cores: 1 + rng.IntN(2), fpgas: 1, bus: float64(10 + rng.IntN(200)), duplex: "half",
			sharing: "conserving", speed: 1}
		if rng.IntN(2) == 0 {
			m.sharing = "equal"
		}
		if rng.IntN(3) == 0 {
			m.duplex = "full"
		}
		rates := make([]float64, 8)
		for k := range 4 {
			rates[k] = float64(20 + rng.IntN(80))
			if k > 0 && rng.IntN(2) == 0 {
				rates[4+k] = 3 * rates[k]
			}
		}
		had := best(m, rates)
		for name, change := range more {
			n := m
			change(&n)
			switch has := best(n, rates); {
			case has < had*(1-1e-9):
				t.Errorf("seed %d: with %s the best has %.6g B/s, and %.6g without\n%s", seed, name, has, had,
					n.text(rates))
			case has > had*(1+1e-9):
				risen[name]++
			}
		}
	}
	for name := range more {
		if risen[name] == 0 {
			t.Errorf("%s never brings anything: the test has lost its power", name)
		}
	}
}
