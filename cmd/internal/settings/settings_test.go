package settings

import (
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/mapper"
)

// TestOptions checks that each option has a field, and that no two options of a command have the same name.
func TestOptions(t *testing.T) {
	var s Settings
	seen := make(map[string]bool)
	for _, o := range s.Options([]string{"sweep"}) {
		if o.To == nil {
			t.Errorf("--%s has no field", o.Name)
		}
		for _, c := range o.Commands {
			if key := c + " --" + o.Name; seen[key] {
				t.Errorf("two options are called %s", key)
			} else {
				seen[key] = true
			}
		}
	}
}

// TestFrameLength: a frame is a time, or with --measure a number of elements.
func TestFrameLength(t *testing.T) {
	for _, c := range []struct {
		frame    string
		measure  []string
		length   time.Duration
		elements uint64
		wrong    bool
	}{
		{},
		{frame: "100ms", length: 100 * time.Millisecond},
		{frame: "1000", measure: []string{"m1: measure mean rate at top.e1"}, elements: 1000},
		{frame: "1000", wrong: true},
		{frame: "0", measure: []string{"m1: measure mean rate at top.e1"}, wrong: true},
	} {
		f := Deploy{Frame: c.frame, Measure: c.measure}
		length, elements, err := f.FrameLength()
		if length != c.length || elements != c.elements || (err != nil) != c.wrong {
			t.Errorf("--frame %q with %d statements: %v, %d, %v", c.frame, len(c.measure), length, elements, err)
		}
	}
}

// TestGrowth checks that, without a limit, buffers may grow to the default, or to their initial size.
func TestGrowth(t *testing.T) {
	for text, want := range map[string]program.Growth{
		"":      {MaxBytes: defaultBufferMemory, AtLeastStart: true},
		"0":     {},
		"64KiB": {MaxBytes: 64 << 10},
	} {
		got, err := (&Deploy{MaxBuffers: text}).Growth()
		if err != nil || got.MaxBytes != want.MaxBytes || got.AtLeastStart != want.AtLeastStart {
			t.Errorf("--max-buffer-memory %q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestGoal checks that objectives and limits are those of the options.
func TestGoal(t *testing.T) {
	g, err := (&Settings{Objective: "throughput,cores", MinThroughput: "40MB/s", MaxBuffer: "64KiB"}).Goal()
	if err != nil || !g.Several() || g.First() != mapper.Throughput ||
		g.MinThroughput != 40e6 || g.MaxBuffer != 64<<10 {
		t.Errorf("the goal is %+v, %v", g, err)
	}
}
