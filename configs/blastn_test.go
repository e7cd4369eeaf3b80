package configs_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/queueing"
)

// input is one number of Lancaster 2011, Table 7.1, with half a unit of its last printed digit.
type input struct{ value, half float64 }

// blastnRun is a column of Table 7.1 and of Table 7.2.
type blastnRun struct {
	name                   string
	offered, mu1a          input // MB/s, Gbases/s
	mu1b, mu2              input // Mseeds/s, Maligns/s
	p1a1b, p1b2            input
	published, publishHalf [5]float64 // ρ1a, ρ1b, ρ2, N_Q1b, N_Q2
}

// TestBlastn compares with the model column of Table 7.2. The range of the model's results, when each input varies
// within its rounding, must overlap the rounding of the published number.
func TestBlastn(t *testing.T) {
	var table strings.Builder
	table.WriteString("| | published | xopt | interval by rounding of inputs |\n|---|--:|--:|--:|\n")
	for _, run := range []blastnRun{
		{
			name: "run1", offered: input{900, 0.5}, mu1a: input{2.1, 0.05}, mu1b: input{130, 0.5}, mu2: input{133, 0.5},
			p1a1b: input{0.018, 0.0005}, p1b2: input{0.88, 0.005},
			published: [5]float64{0.84, 0.25, 0.21, 0.08, 0.06}, publishHalf: [5]float64{0.005, 0.005, 0.005, 0.005,
				0.005},
		},
		{
			name: "run2", offered: input{720, 0.5}, mu1a: input{2.1, 0.05}, mu1b: input{50, 0.5}, mu2: input{133, 0.5},
			p1a1b: input{0.035, 0.0005}, p1b2: input{0.76, 0.005},
			published: [5]float64{0.68, 0.999, 0.29, 7500, 0.12}, publishHalf: [5]float64{0.005, 0.0005, 0.005, 50,
				0.005},
		},
	} {
		nominal := run.evaluate(t, 0)
		lo, hi := nominal, nominal
		// Every result is monotone in every input, so corners suffice.
		for corner := 1; corner <= 64; corner++ {
			got := run.evaluate(t, corner)
			for i := range got {
				lo[i], hi[i] = math.Min(lo[i], got[i]), math.Max(hi[i], got[i])
			}
		}
		for i, what := range [5]string{"ρ of 1a", "ρ of 1b", "ρ of 2", "queue of 1b", "queue of 2"} {
			if lo[i] > run.published[i]+run.publishHalf[i] || hi[i] < run.published[i]-run.publishHalf[i] {
				t.Errorf("%s: %s is in [%.5g, %.5g], published is %g", run.name, what, lo[i], hi[i], run.published[i])
			}
			fmt.Fprintf(&table, "| %s, %s | %g | %s | %s to %s |\n", run.name, what, run.published[i],
				digits(nominal[i]), digits(lo[i]), digits(hi[i]))
		}
		if run.name == "run2" && math.Abs(nominal[1]-flow.DefaultMaxUtilization) > 1e-9 {
			t.Errorf("run2: ρ of 1b is %.6f, want φ: it is the bottleneck", nominal[1])
		}
	}
	checkTable(t, "examples/lancaster-blastn/README.md", "table", table.String())
}

// evaluate scores a run with its inputs as printed (corner 0) or at one of 64 corners of their rounding.
func (run *blastnRun) evaluate(t *testing.T, corner int) (out [5]float64) {
	t.Helper()
	bit := 0
	at := func(in input) float64 {
		v := in.value
		if corner > 0 {
			v += in.half * float64(1-2*((corner-1)>>bit&1))
		}
		bit++
		return v
	}
	figure := func(kernel string, attr string, value float64) design.Override {
		text := fmt.Sprintf("%.15g", value)
		if attr == "mu" {
			text += "B/s"
		}
		return design.Override{Target: kernel, Attrs: [][2]string{{attr, text}}}
	}
	const record = 8
	overrides := []design.Override{
		figure("Database", "mu", at(run.offered)*1e6),
		figure("Stage1a", "mu", at(run.mu1a)*1e9/2),
		figure("Stage1b", "mu", at(run.mu1b)*1e6*record),
		figure("Stage2", "mu", at(run.mu2)*1e6*record),
		figure("Stage1a", "gain", at(run.p1a1b)*2*record),
		figure("Stage1b", "gain", at(run.p1b2)),
	}
	opt := design.Options{Purpose: design.ForMapping}
	if corner > 0 {
		opt.Overrides = overrides
	}
	d := loadWith(t, opt, nil, "lancaster-blastn", run.name+".x", "arch.x", "map.x")
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	for i, kernel := range []string{"top.s1a", "top.s1b", "top.s2"} {
		out[i] = station(t, n, s, kernel).Utilization
	}
	for i := range 2 {
		rho := out[i+1]
		out[i+3] = queueing.MM1{Utilization: rho}.MeanQueue()
		near(t, "mean queue", out[i+3], rho*rho/(1-rho), 1e-9) // Lancaster 2011, section 7.3
	}
	return out
}

// digits prints five significant digits without an exponent.
func digits(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.5g", v)
}
