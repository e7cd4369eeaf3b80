package calibrate

import (
	"math"
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// TestRecordedGain: gain and routing of the recorded run replace those measured alone only if they differ by
// more than both intervals and 5 %.
func TestRecordedGain(t *testing.T) {
	kernel := &xlang.Kernel{Name: "top.k", Inputs: []xlang.Port{{Name: "x", ElementBytes: 4}},
		Outputs: []xlang.Port{{Name: "y", ElementBytes: 4}, {Name: "z", ElementBytes: 4}}}
	for name, c := range map[string]struct {
		alone, low, high float64
		yAlone           float64 // share of the output to y
		firings, y, z    float64 // of the recorded run
		gain, routing    float64
		note             string
		cut              bool
	}{
		"the same": {alone: 0.5, low: 0.49, high: 0.51, yAlone: 0.5, firings: 1e5, y: 25000, z: 25000, gain: 0.5,
			routing: 0.5},
		"state": {alone: 0.001975, low: 0.001, high: 0.0025, yAlone: 0.5, firings: 1e5, y: 980, z: 980,
			gain: 2. / 102, routing: 0.5,
			note: "the gain is 0.00198 if the kernel runs alone, but 0.0196 in the recorded run"},
		"a short run": {alone: 0.5, low: 0.49, high: 0.51, yAlone: 0.5, firings: 10, y: 3, z: 1, gain: 0.5,
			routing: 0.5},
		"within 5 %": {alone: 0.5, low: 0.4999, high: 0.5001, yAlone: 0.5, firings: 1e7, y: 2.6e6, z: 2.6e6,
			gain: 0.5, routing: 0.5},
		"within its": {alone: 0.5, low: 0.3, high: 0.7, yAlone: 0.5, firings: 1e6, y: 3e5, z: 3e5, gain: 0.5,
			routing: 0.5},
		"nothing ran": {alone: 0.5, low: 0.49, high: 0.51, yAlone: 0.5, gain: 0.5, routing: 0.5},
		"routing alone": {alone: 1, low: 1, high: 1, yAlone: 0.9, firings: 1e5, y: 5e4, z: 5e4, gain: 1, routing: 0.5,
			note: "the share sent to y is 0.9 if the kernel runs alone, but 0.5 in the recorded run"},
		"data cut": {alone: 1, low: 1, high: 1, yAlone: 0.5, firings: 1e5, y: 25e3, z: 25e3, gain: 0.5,
			routing: 0.5, cut: true, note: "received too little of its recorded input"},
	} {
		r := recorded{firings: c.firings, elements: []float64{c.y, c.z}, cut: c.cut}
		if c.firings > 0 {
			r.volumes = volumesOf(kernel, c.firings, []float64{c.firings}, r.elements, 2)
		}
		part := func(v float64) profile.Figure {
			return profile.Figure{Value: v, N: 9, CI95: [2]float64{v - 0.001, v + 0.001}}
		}
		batch := map[string]profile.Figure{"y": part(7), "z": part(7)}
		k := profile.Kernel{Instance: "top.k", Block: "K", Platform: "C", Batch: batch,
			Gain:    &profile.Figure{Value: c.alone, N: 9, CI95: [2]float64{c.low, c.high}},
			Routing: map[string]profile.Figure{"y": part(c.yAlone), "z": part(1 - c.yAlone)}}
		var report Report
		r.settle(kernel, &k, &report)
		if math.Abs(k.Gain.Value/c.gain-1) > 1e-9 || math.Abs(k.Routing["y"].Value/c.routing-1) > 1e-9 {
			t.Errorf("%s: gain %g and routing %g, want %g and %g", name, k.Gain.Value, k.Routing["y"].Value, c.gain,
				c.routing)
		}
		if !strings.Contains(k.Recorded, c.note) || (c.note == "") != (k.Recorded == "") ||
			(c.note == "") != (len(report.Notes) == 0) {
			t.Errorf("%s: %q, want %q; notes %q", name, k.Recorded, c.note, report.Notes)
		}
		if batch["y"].Value != 7 {
			t.Errorf("%s: what the earlier profile has was changed", name)
		}
		if err := (&profile.Profile{Kernels: []profile.Kernel{k}}).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The next calibration keeps it and repeats the note.
		before, notes := k.Gain.Value, len(report.Notes)
		r.settle(kernel, &k, &report)
		if k.Gain.Value != before || len(report.Notes) != 2*notes {
			t.Errorf("%s: kept as %g with the notes %q", name, k.Gain.Value, report.Notes)
		}
	}
}
