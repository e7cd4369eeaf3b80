package text_test

import (
	"strings"
	"testing"
	"time"

	"xopt/bench/unseen"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/mapper/result"
)

// unseenPrinted is the output of the benchmark of unseen applications for three mappings and a failure.
const unseenPrinted = `
Unseen applications: errors of the predicted undisturbed throughput; measured, medians of 3 alternating runs of 1s
seed  kind     mappings  median error  95 %  worst     τ  regret  bottleneck  run interval  repeatability  significant
──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
7     text            2          10 %  20 %   20 %  1.00     2 %        50 %          50 %            2 %         50 %
8     records         0           -     -      -       -     -           -             -              -            -
Columns hidden at this width: single bottleneck, kernels. Widen the terminal or pipe the output.

All applications: 1 application, 2 mappings
                                           median  95 %  worst
──────────────────────────────────────────────────────────────
error of the undisturbed throughput          10 %  20 %   20 %
error relative to the measured throughput    10 %  20 %   20 %
repeatability of measurements                 2 %   2 %    2 %
regret of the first candidate                 2 %   2 %    2 %
τ of the ranking                             1.00   -     1.00
(bottleneck correct: 1 of 2, 50 %; with a single predicted bottleneck: 1 of 1, 100 %; measured throughput in the
predicted 95 % interval of runs: 1 of 2, 50 %; undisturbed throughput in its predicted 95 % interval: 1 of 1, 100 %;
errors above the repeatability: 1 of 2, 50 %)

The largest errors
seed  mapping   predicted  runs from    to  measured  undisturbed  error  bottleneck          busiest  why
                     MB/s       MB/s  MB/s      MB/s         MB/s
────────────────────────────────────────────────────────────────────────────────────────────────────────────────
7     random 1         60         58    62        50            -  +20 %  core[1] or core[3]  core[2]  disturbed
7     best 1          100         95   105       100            -    0 %  core[1]             core[1]
Columns hidden at this width: repeatability, machine. Widen the terminal or pipe the output.
`

// TestUnseen checks that the tables of fixed figures do not change.
func TestUnseen(t *testing.T) {
	repeats := 0.02
	regret, one := 0.02, 1.
	app := unseen.Study{Seed: 7, Kind: unseen.Text, Kernels: 5, Edges: 4, FirstRan: true,
		Summary: result.Summary{Cases: 2, Median: 0.1, P95: 0.2, Worst: 0.2, Kendall: &one, Regret: &regret},
		Holds:   unseen.Share{Of: 2, Are: 1}, Inside: unseen.Share{Of: 2, Are: 1},
		Cases: []unseen.Case{
			{Name: "best 1", Predicted: 100e6, Interval: &[2]float64{99e6, 101e6},
				GoodInterval: &[2]float64{97e6, 103e6},
				RunInterval:  &[2]float64{95e6, 105e6}, Measured: 100e6,
				Repeats: &repeats, Bottleneck: []string{"core[1]"}, MostUsed: "core[1]", Holds: true},
			{Name: "random 1", Predicted: 60e6, PossibleBottlenecks: []string{"core[3]"},
				RunInterval: &[2]float64{58e6, 62e6}, Measured: 50e6,
				Repeats: &repeats, Significant: true, Bottleneck: []string{"core[1]"}, MostUsed: "core[2]",
				Reason: "disturbed"},
			{Name: "random 2", Predicted: 60e6, Fail: "it crashed"},
		}}
	r := &unseen.Results{Apps: []unseen.Study{app, {Seed: 8, Kind: unseen.Records, Kernels: 9,
		Fail: "it could not be built"}}}
	r.Summarize()
	var b strings.Builder
	var parts []report.Part
	for _, table := range []*report.Table{report.UnseenApps(r, 3, time.Second), report.UnseenInAll(r),
		report.UnseenWorst(r)} {
		parts = append(parts, report.Part{Table: table})
	}
	if err := text.Write(&b, parts, text.Style{Width: 118}); err != nil {
		t.Fatal(err)
	}
	if trimmed(b.String()) != trimmed(unseenPrinted) {
		t.Errorf("it prints\n%s\nwant\n%s", b.String(), unseenPrinted)
	}
}

// trimmed removes empty lines around a text, and blanks at the ends of lines.
func trimmed(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
