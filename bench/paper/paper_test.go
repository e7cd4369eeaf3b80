package paper_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"xopt/bench/paper"
	"xopt/internal/testkit"
)

// TestPaper runs a short version of every experiment. Its checks do not depend on the speed or the stability of the
// machine.
func TestPaper(t *testing.T) {
	testkit.Long(t, "it measures for half a minute")
	t.Parallel()
	steps := 0
	o := paper.Options{Only: []string{"14", "15", "ch7"}, Apps: 2, Mappings: 2, MaxTasks: 5, Seed: 1, Runs: 1,
		Window: 100 * time.Millisecond, Short: true,
		Note: func(string) {}, Done: func(*paper.Results) error { steps++; return nil }}
	p, err := paper.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if steps != 4 || len(p.Parts) != 3 {
		t.Errorf("%d steps, %d parts", steps, len(p.Parts))
	}
	checkSchedulers(t, p.Sharing)
	checkSynthetic(t, p.Synthetic, o)
	checkJackson(t, p.Jackson)
	var b strings.Builder
	if err := p.WriteExperiments(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Fig. 14", "Fig. 15", "Fig. 18", "Tables 7.1 and 7.2", "Short version",
		"synthetic 2", "conserving", "equal"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Errorf("the page holds what is not a number:\n%s", b.String())
	}
}

func checkSchedulers(t *testing.T, cases []paper.SchedulerCase) {
	t.Helper()
	allowed := 0
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		allowed++
		if len(c.Rates) != c.Processes || !(c.Alone > 0) || len(c.Errors()) > c.Processes {
			t.Errorf("%d processes under %s: %+v", c.Processes, c.Scheduler, c)
		}
	}
	if allowed < 6 {
		t.Errorf("of %d numbers of processes and schedulers %d could be measured", len(cases), allowed)
	}
}

func checkSynthetic(t *testing.T, studies []*paper.Study, o paper.Options) {
	t.Helper()
	if len(studies) != o.Apps {
		t.Fatalf("%d applications", len(studies))
	}
	measured := 0
	for _, s := range studies {
		if len(s.Cases) != o.Mappings || s.Kernels < 3 || s.Kernels > o.MaxTasks+2 {
			t.Errorf("%s: %d mappings of %d kernels", s.Name, len(s.Cases), s.Kernels)
		}
		for i := range s.Cases {
			c := &s.Cases[i]
			if strings.Contains(c.Fail, "too short to measure") { // for a busy machine
				continue
			}
			measured++
			if c.Fail != "" || !(c.Measured > 0) || !(c.Predicted > 0) || !(c.Equal > 0) ||
				c.Equal > c.Predicted*(1+1e-9) {
				t.Errorf("%s, %s: predicted %g, equal %g, measured %g, failed %q", s.Name, c.Name, c.Predicted, c.Equal,
					c.Measured, c.Fail)
			}
			if len(c.Edges) != s.Edges {
				t.Errorf("%s, %s: %d edges of %d", s.Name, c.Name, len(c.Edges), s.Edges)
			}
		}
		for i := range s.Queues {
			// A queue contains at most its buffers. If the model promises more than they contain, its promise holds.
			q := &s.Queues[i]
			if !(q.Measured >= 1) || !(q.Modelled >= 1) || q.Samples == 0 || math.IsNaN(q.Error()) {
				t.Errorf("%s: %+v", s.Name, q)
			}
			if exceeds, why := q.Exceeds(); exceeds {
				t.Logf("%s: %+v: %s", s.Name, q, why)
			}
		}
	}
	if measured == 0 {
		t.Error("no mapping was measured")
	}
}

func checkJackson(t *testing.T, cases []paper.JacksonCase) {
	t.Helper()
	if len(cases) != 1 || len(cases[0].Stations) != 5 || !(cases[0].Arrival > 0) {
		t.Fatalf("the Jacksonian network is %+v", cases)
	}
	// Table 7.1: the fractions that the filters pass do not depend on the machine.
	st := cases[0].Stations
	if pass := st[0].Pass / 256; pass < 0.017 || pass > 0.0195 {
		t.Errorf("stage 1a passes %.4f of the words, want 0.018", pass)
	}
	if st[1].Pass < 0.85 || st[1].Pass > 0.91 {
		t.Errorf("stage 1b passes %.3f of the hits, want 0.88", st[1].Pass)
	}
}

// TestExceeds checks that the other measurements of a queue explain why it exceeded the model.
func TestExceeds(t *testing.T) {
	for _, c := range []struct {
		q       paper.QueueBound
		exceeds bool
		why     string
	}{
		{paper.QueueBound{Modelled: 10, Measured: 10}, false, ""},
		{paper.QueueBound{Modelled: 10, Measured: 11, Batch: 1}, true, ""},
		{paper.QueueBound{Modelled: 10, Measured: 35, Batch: 3.4}, true, "elements arrive in batches"},
		{paper.QueueBound{Modelled: 10, Measured: 60, Batch: 1, Pause: 1e-3, Arrivals: 50e3}, true,
			"long firing of a kernel on the same core"},
		{paper.QueueBound{Modelled: 10, Measured: 63, Batch: 1, Pause: 1e-3, Arrivals: 50e3}, true, ""},
		{paper.QueueBound{Modelled: 10, Measured: 1000, Batch: 1, Picks: true}, true,
			"the kernel reads its inputs one after another"},
	} {
		if exceeds, why := c.q.Exceeds(); exceeds != c.exceeds || why != c.why {
			t.Errorf("%+v: got %t, %q", c.q, exceeds, why)
		}
	}
	if e := (&paper.QueueBound{Modelled: 11}).Error(); e != 10 {
		t.Errorf("an empty queue has the error %g", e)
	}
}
