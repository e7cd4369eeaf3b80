package report

import (
	"strings"
	"testing"

	"xopt/flow/profile"
)

// TestCalibrationDoubts: a reference of two runs says nothing of what the machine repeats, and an outlier of a link is
// named.
func TestCalibrationDoubts(t *testing.T) {
	p := &profile.Profile{Reference: &profile.Reference{Runs: 2, Faces: []profile.Face{{Name: "memory", Good: 1e-6}}},
		Links: []profile.Link{{Linktype: "memory", Where: "between cores", Samples: []profile.LinkSample{
			{Bytes: 8, Seconds: 1, Fitted: 1}, {Bytes: 64, Seconds: 17, Fitted: 1, LeftOut: true}}}}}
	if note := referenceFaces(p).Note; strings.Contains(note, "0.0 %") || !strings.Contains(note, "2 runs cannot") {
		t.Errorf("two runs: %s", note)
	}
	if note := linkSamples(p).Note; !strings.Contains(note, "64 B, which took 17 times") {
		t.Errorf("an outlier: %s", note)
	}
	p.Reference.Runs, p.Reference.Repeatability, p.Links[0].Samples[1].LeftOut = 9, 0.05, false
	if note := referenceFaces(p).Note; !strings.Contains(note, "within 5.0 %") || linkSamples(p).Note != "" {
		t.Errorf("nine runs, no outlier: %s; %s", note, linkSamples(p).Note)
	}
}
