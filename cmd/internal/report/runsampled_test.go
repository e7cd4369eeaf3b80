package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestSampledNote checks for a note if the variance of sampled firings is next to a different mean of all firings,
// and for none otherwise.
func TestSampledNote(t *testing.T) {
	scv := float64(0.026)
	of := func(mean, sampled float64) string {
		return sampledNote(&result.Measured{Kernels: []result.MeasuredKernel{{Kernel: "top.bands", ServiceTime: mean,
			Service: &result.Distribution{Samples: 40, Mean: sampled, SCV: &scv}}}})
	}
	if got := of(16e-6, 0.45e-6); !strings.Contains(got, "top.bands has a mean of 450 ns over 40 samples") {
		t.Errorf("it tells %q", got)
	}
	if got := of(0.46e-6, 0.45e-6); got != "" {
		t.Errorf("of samples like all it tells %q", got)
	}
}

// TestUntold checks the reason of a run without a throughput: a fault first, then a long run that was not steady, and
// a disturbance. Only a short run asks for more elements.
func TestUntold(t *testing.T) {
	for _, x := range []struct {
		name       string
		change     func(m *result.Measured)
		first, all string
	}{
		{"short", func(m *result.Measured) { m.Seconds = 0.2 }, "Throughput too short to measure",
			"send more elements (--elements)"},
		{"long", func(m *result.Measured) { m.Steady.Unsteady = true }, "Throughput not steady enough to measure",
			"the load changed during the run"},
		{"disturbed", func(m *result.Measured) { m.Steady.Unsteady, m.Disturbed = true, "others ran" },
			"Throughput too disturbed to measure", "run again on a quiet machine: others ran"},
		{"crashed", func(m *result.Measured) { m.FaultOf, m.Partial = "top.adc", "kernel top.adc crashed" },
			"Fault kernel top.adc crashed; correct top.adc, then run again\n", "Throughput undetermined: a " +
				"fault of top.adc ended the run after 16.7 s"},
		{"hung", func(m *result.Measured) {
			m.Fault, m.Partial, m.Steady = "hang", "no element has moved", &result.SteadyPart{Seconds: 0.35}
		}, "Fault no element has moved\n", "Throughput undetermined: a fault ended the run after 16.7 s"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := &result.Result{Stale: []result.Doubted{{Kernel: "top.a", Why: "new source"}},
				Measured: &result.Measured{Seconds: 16.7, Steady: &result.SteadyPart{Short: "16.7 s of run"},
					Used: []result.MeasuredUse{{Name: "proc[1]", Sharers: 2, Utilization: 0.97, Busiest: "top.adc"}}}}
			x.change(r.Measured)
			p := &script{}
			p.measured(r)
			var lines []string
			for _, part := range p.parts {
				if part.Lead != nil {
					lines = append(lines, part.Lead.Word+" "+part.Lead.Text)
				}
			}
			got := strings.Join(lines, "\n")
			if !strings.HasPrefix(got, x.first) || !strings.Contains(got, x.all) ||
				strings.Contains(got, "--elements") != (x.name == "short") {
				t.Errorf("it tells\n%s", got)
			}
			faulted := x.name == "crashed" || x.name == "hung"
			inconclusive := x.name == "short" || faulted
			if strings.Contains(got, "limited the throughput") == inconclusive ||
				(limited(r.Measured) == nil) != inconclusive ||
				strings.Contains(got, "Moved") == faulted {
				t.Errorf("the bottleneck is %v, and it tells\n%s", limited(r.Measured), got)
			}
			if first := facts(r)[0].Label == "Fault"; first != faulted {
				t.Errorf("the page begins with the fault: %v", first)
			}
			if x.name == "crashed" && found(r)[0].do != "correct top.adc" {
				t.Errorf("the crash is not the first to mend: %+v", found(r))
			}
		})
	}
}

// TestWrittenOnce checks that a file that was written twice is named once.
func TestWrittenOnce(t *testing.T) {
	r := &result.Result{Measured: &result.Measured{}}
	parts := Closing(r, []string{"run.result.json", "run.map.x", "run.result.json"})
	if got := parts[len(parts)-1].Lead; got.Word != "Written" || got.Text != "run.result.json, run.map.x" {
		t.Errorf("it tells %+v", got)
	}
}
