package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestOutsideWords checks that a run outside the predicted interval is reported and one inside is not, and likewise
// buffers smaller than recommended that reduce the throughput.
func TestOutsideWords(t *testing.T) {
	c := &result.Candidate{Throughput: 100e6, RunInterval: &[2]result.Number{90e6, 110e6},
		GoodInterval: &[2]result.Number{99e6, 101e6}}
	run := func(rate float64, simulated, short string) *result.Measured {
		return &result.Measured{Throughput: rate, Simulated: simulated, Steady: &result.SteadyPart{Throughput: rate,
			Short: short}}
	}
	for _, k := range []struct {
		m    *result.Measured
		want string
	}{
		{run(95e6, "", ""), ""}, {run(90e6, "", ""), ""}, {run(110e6, "", ""), ""},
		{run(80e6, "", ""), "90 to 110 MB/s"}, {run(120e6, "", ""), "90 to 110 MB/s"},
		{run(80e6, "", "too short"), ""},
		{run(95e6, "virtual time", ""), "99 to 101 MB/s"}, {run(100e6, "virtual time", ""), ""},
	} {
		if got := outsideWords(c, k.m); !strings.Contains(got, k.want) || (got == "") != (k.want == "") {
			t.Errorf("%g, %q: %q, want %q", k.m.Throughput, k.m.Simulated, got, k.want)
		}
	}
	size := func(n result.Number) *result.Recommendation {
		return &result.Recommendation{Estimate: result.Estimate{Elements: n}}
	}
	c.Queues = []result.Queue{{Edge: "small", Recommended: size(64)}, {Edge: "large", Recommended: size(8)}}
	if smallerBuffers(c) != "" {
		t.Errorf("buffers that cost nothing: %q", smallerBuffers(c))
	}
	c.Limit(&result.WithBuffers{Throughput: 70e6, Edges: []result.BufferedEdge{{Edge: "small", Elements: 4},
		{Edge: "large", Elements: 8}}})
	if got := smallerBuffers(c); !strings.Contains(got, "the throughput is 70 MB/s, 70 %") {
		t.Errorf("small buffers: %q", got)
	}
}

// TestNotRepeated checks that a run that is too short has the reason why it was not repeated, before the remedy.
func TestNotRepeated(t *testing.T) {
	m := result.Measured{Seconds: 0.2, Steady: &result.SteadyPart{Short: "a reason", Enough: 1000, Once: "of its file"}}
	got := shortWords(&m)
	if why, way := strings.Index(got, "of its file"), strings.Index(got, "--elements 1000"); why < 0 || way < why {
		t.Error(got)
	}
	m.Steady.Once = ""
	if got := shortWords(&m); strings.Contains(got, "repeat") {
		t.Error(got)
	}
}

// TestUntoldReasons checks that a run without a throughput has its actual reason with the remedy, and that a
// disturbance is stated once.
func TestUntoldReasons(t *testing.T) {
	steady := func(unsteady, few bool) *result.SteadyPart {
		return &result.SteadyPart{Short: "a reason", Unsteady: unsteady, Few: few, Enough: 1000}
	}
	for _, x := range []struct {
		m        result.Measured
		why, way string
	}{
		{result.Measured{Seconds: 0.2, Steady: steady(false, false)}, "too short", "--elements 1000"},
		{result.Measured{Seconds: 0.2, Steady: steady(true, false)}, "too short", "--elements 1000"},
		{result.Measured{Seconds: 0.2, Steady: steady(false, false), Partial: "interrupted"}, "too short",
			"let it end"},
		{result.Measured{Seconds: 9.6, Steady: steady(true, false)}, "not steady", "changed during the run"},
		{result.Measured{Seconds: 9.6, Steady: steady(false, false)}, "not steady", "changed during the run"},
		{result.Measured{Seconds: 9.6, Steady: steady(true, false), Disturbed: "others"}, "too disturbed", "quiet"},
		{result.Measured{Seconds: 9.6, Steady: steady(false, true)}, "too few elements", "--elements 1000"},
	} {
		if got := noRateReason(&x.m); !strings.HasPrefix(got, x.why) || !strings.Contains(shortWords(&x.m), x.way) {
			t.Errorf("%+v: %q, %q", x.m, got, shortWords(&x.m))
		}
		short := Short(&result.Result{Measured: &x.m}, nil)
		full := Terminal(&result.Result{Measured: &x.m})
		for _, parts := range [][]Part{short, append(full, Closing(&result.Result{Measured: &x.m}, nil)...)} {
			if _, all := textsIn(parts); x.m.Disturbed != "" && strings.Count(all, x.m.Disturbed) != 1 {
				t.Errorf("the disturbance appears %d times: %s", strings.Count(all, x.m.Disturbed), all)
			}
		}
	}
}
