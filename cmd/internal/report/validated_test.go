package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/deploy/validate"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// rankedResult returns a result of two mappings with the given measured throughputs in bytes/s, with intervals of a
// factor to each side.
func rankedResult(first, other, half float64, disturbed int) *result.Result {
	r := wellResult()
	r.ProfileDisturbed = "busy"
	v := &result.Validation{Summary: result.Summary{Cases: 2}}
	for i, x := range []float64{other, first} {
		name := []string{"random 1", "best 1"}[i]
		v.Cases = append(v.Cases, result.ValidatedCase{Name: name, Measured: x, Runs: []float64{x, x, x},
			Predicted: result.Number(101e6 + float64(i)*1e6), Candidate: i - 1,
			Interval: &[2]float64{x / half, x * half}, Disturbed: disturbed,
			Others: float64(i), Disturbance: fmt.Sprintf("other programs used %d.1", i)})
	}
	r.Validation = v
	return r
}

// TestRanking checks that terminal, page and tables state exactly what the runs of a validation show.
func TestRanking(t *testing.T) {
	unranked := rankedResult(40e6, 100e6, 1.1, 0)
	unranked.Validation.Unranked = true
	failed := rankedResult(40e6, 100e6, 1.1, 0)
	failed.Validation.Cases[1].Fail = "it crashed"
	other := rankedResult(40e6, 100e6, 1.1, 0) // in the other order, with the same result
	slices.Reverse(other.Validation.Cases)
	for _, x := range []struct {
		name   string
		r      *result.Result
		id     fault.ID // of the first finding; "" for none on the ranking
		value  string   // of the headline; "" for none
		tau    string
		regret string
	}{
		{"better", rankedResult(40e6, 100e6, 1.1, 0), faults.OtherRanBetter, "random 1", "-1.00", "60 %"},
		{"in another order", other, faults.OtherRanBetter, "random 1", "-1.00", "60 %"},
		{"intervals overlap", rankedResult(40e6, 100e6, 1.6, 0), faults.RankingUnknown, "unknown", "-", "-"},
		{"disturbed", rankedResult(40e6, 100e6, 1.1, 2), faults.RankingUnknown, "unknown", "-", "-"},
		{"worse", rankedResult(100e6, 40e6, 1.1, 0), "", "best 1", "1.00", "0 %"},
		{"the same", rankedResult(100e6, 100.5e6, 1.001, 0), "", "random 1", "-1.00", "0.498 %"},
		{"no first choice", unranked, "", "random 1", "-1.00", "-"},
		{"the first choice failed", failed, "", "", "-", "-"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var id fault.ID
			for _, f := range found(x.r) {
				if f.id == faults.OtherRanBetter || f.id == faults.RankingUnknown {
					id = f.id
				}
			}
			if first := found(x.r)[0].id; id != x.id || id != "" && first != id {
				t.Errorf("the finding is %q, and the first is %q", id, first)
			}
			seen := strings.Contains(striking(x.r.Validation, validate.Judge(x.r.Validation)), "1 ran at least 2.5")
			if fact, _ := ranking(x.r.Validation); x.name == "disturbed" && (!seen || strings.Contains(fact.Note,
				" is off by ")) {
				t.Errorf("a mapping that is faster in every run is not reported, or a prediction is: %q", fact.Note)
			}
			for name, parts := range map[string][]Part{"short": ShortValidation(x.r),
				"full": append(ValidationHead(x.r), Validation(x.r)...), "page": leads(facts(x.r))} {
				words, all := textsIn(parts)
				if text := words["Ranking"]; !strings.HasPrefix(text, x.value) || (text == "") != (x.value == "") {
					t.Errorf("%s: the ranking is %q", name, text)
				}
				if todo := words["To do"] != ""; todo != (x.id == faults.OtherRanBetter) && name != "page" {
					t.Errorf("%s: something to do: %v", name, todo)
				}
				if n := strings.Count(all, "used 1.1"); n != map[bool]int{true: 1}[x.name == "disturbed"] ||
					strings.Contains(all, "used 0.1") {
					t.Errorf("%s: the disturbance appears %d times: %s", name, n, all)
				}
			}
			table := errorSummary(x.r.Validation)
			tau, regret := table.Rows[0].Cells[table.column("Kendall τ")], table.Rows[0].Cells[table.column("regret")]
			if tau.String() != x.tau || regret.String() != x.regret {
				t.Errorf("τ %s, regret %s", tau.String(), regret.String())
			}
			if rows := mappingOrder(x.r); rows[0] != "best 1" || rows[1] != "random 1" {
				t.Errorf("the table is in the order %v", rows)
			}
		})
	}
}

// textsIn returns the texts of parts by their lead words, and all texts together.
func textsIn(parts []Part) (words map[string]string, all string) {
	words = make(map[string]string)
	for _, p := range parts {
		all += p.Text
		if p.Lead != nil {
			words[p.Lead.Word] = p.Lead.Text
			all += p.Lead.Text
		}
	}
	for _, table := range TablesOf(parts) {
		all += table.Title + table.Note
	}
	return words, all
}

// mappingOrder returns the names of the mappings in the order of the table.
func mappingOrder(r *result.Result) (list []string) {
	for _, row := range cases(r).Rows {
		list = append(list, row.Cells[0].Text)
	}
	return list
}

// TestSingleRuns checks that single runs are called neither a median nor clear: nothing is concluded from them without
// a ranking. Failed mappings count in no output.
func TestSingleRuns(t *testing.T) {
	r := rankedResult(40e6, 100e6, 1.1, 1)
	for i := range r.Validation.Cases {
		r.Validation.Cases[i].Runs = r.Validation.Cases[i].Runs[:1]
	}
	_, all := textsIn(append(ShortValidation(r), leads(facts(r))...))
	if strings.Contains(all, "median of the runs") || strings.Contains(all, "still visible") ||
		!strings.Contains(all, "from, to: 95 % confidence interval") {
		t.Errorf("of single runs: %s", all)
	}
	failed := validate.Case{Runs: []float64{1, 2}, Repeated: 3, Fail: "it crashed"}
	if runs, repeated := validate.CountRuns([]validate.Case{failed, {Runs: []float64{1}, Repeated: 2}}); runs != 1 ||
		repeated != 2 {
		t.Errorf("%d runs, %d repeated", runs, repeated)
	}
}

// TestLowerBound checks that every output shows a lower bound for a mapping whose runs other programs disturbed, and no
// undisturbed throughput, interval or error.
func TestLowerBound(t *testing.T) {
	r := rankedResult(40e6, 100e6, 1.1, 3)
	v := r.Validation
	for i := range v.Cases {
		c := &v.Cases[i]
		c.Bounded, c.Interval, c.Others = true, nil, 1.6
	}
	v.Summary = result.Summary{Bounded: 2}
	for name, parts := range map[string][]Part{"short": ShortValidation(r),
		"full": append(ValidationHead(r), Validation(r)...), "page": leads(facts(r))} {
		words, all := textsIn(parts)
		if text := words["Measured"]; !strings.HasPrefix(text, "at least 40 MB/s") ||
			!strings.Contains(text, "used up to 1.60 processors in 3 of 3 runs") {
			t.Errorf("%s: measured %q", name, text)
		}
		if !strings.HasPrefix(words["Error"], "unknown") || !strings.HasPrefix(words["Ranking"], "unknown") {
			t.Errorf("%s: error %q, ranking %q", name, words["Error"], words["Ranking"])
		}
		for _, claim := range []string{"undisturbed)", "confidence", "error of the prediction", " is off by "} {
			if strings.Contains(all, claim) {
				t.Errorf("%s: %q in %s", name, claim, all)
			}
		}
	}
	table := cases(r)
	row := table.Rows[0].Cells
	if got := row[table.column("measured")]; got.String() != "≥ 40" {
		t.Errorf("the table shows %q", got.String())
	}
	if row[table.column("error")].String() != "-" || len(worst(v).Rows) != 0 || len(errorSummary(v).Rows) != 0 {
		t.Error("an error of a lower bound")
	}
	reality(r) // no chart without a point fails
	v.Cases[0].Predicted, v.Cases[1].Predicted, v.Cases[1].Significant = 10e6, 20e6, true
	words, _ := textsIn(ValidationHead(r))
	if !strings.HasSuffix(words["Measured"], "; error of the prediction: -50 % or more") {
		t.Errorf("a prediction below the bound: %q", words["Measured"])
	}
}

// TestDisturbedRuns checks that an error beyond repeatability is marked if other programs were busy during the runs.
func TestDisturbedRuns(t *testing.T) {
	again := float64(0.01)
	c := result.ValidatedCase{Name: "best 1", Predicted: 100e6, Measured: 20e6, Runs: []float64{20e6, 20e6},
		Repeats: &again, Significant: true, Disturbed: 2}
	if _, beyond := repeatWords(&c); beyond != "disturbed" {
		t.Errorf("beyond: %s", beyond)
	}
	// Older result files count the disturbed runs of a failed mapping, but do not contain its runs.
	x := validate.Judge(&result.Validation{Cases: []result.ValidatedCase{c, {Name: "best 2", Fail: "it hung",
		Disturbed: 1}}})
	if x.Disturbed != 2 || x.Runs != 2 {
		t.Errorf("disturbed in %d of %d runs, want 2 of 2", x.Disturbed, x.Runs)
	}
}

// TestRankingInterrupted checks that an interrupted validation is continued with its own command.
func TestRankingInterrupted(t *testing.T) {
	r := rankedResult(40e6, 100e6, 1.6, 0)
	r.Validation.Resume = checkpoint.ResumeLine([]string{"xopt", "validate", "a.x", "--runs", "3"})
	_, do := ranking(r.Validation)
	if do == nil || !strings.HasSuffix(do.do, "xopt validate a.x --runs 3 --resume") {
		t.Errorf("%+v", do)
	}
	if s := checkpoint.ResumeLine([]string{"xopt", "search", "--resume"}); s != "xopt search --resume" {
		t.Error(s)
	}
}

// TestSureOfRuns checks that the certainty of a validation comes from its ranking, on the page and in JSON, and that an
// answer with a wide range is never free of doubts.
func TestSureOfRuns(t *testing.T) {
	disturbed := rankedResult(100e6, 40e6, 1.1, 2)
	single := rankedResult(100e6, 40e6, 1.1, 2)
	single.Validation.Cases = single.Validation.Cases[:1]
	repeats := result.Number(0.2)
	wide := wellResult()
	wide.Search, wide.ProfileRepeatability = nil, &repeats
	wide.Candidates[0].Interval = &[2]result.Number{60e6, 210e6}
	wide.Candidates[0].RunInterval = &[2]result.Number{50e6, 220e6}
	among := rankedResult(100e6, 40e6, 1.1, 0)
	third := among.Validation.Cases[1]
	third.Name = "best 2"
	among.Validation.Cases = append(among.Validation.Cases, third)
	for _, x := range []struct {
		name, value string
		r           *result.Result
		id          fault.ID // in JSON
	}{
		{"ranked", "ranked by the runs", rankedResult(100e6, 40e6, 1.1, 0), ""},
		{"overlap", "ranking undetermined", rankedResult(40e6, 100e6, 1.6, 0), faults.RankingUnknown},
		{"two are the fastest", "ranking undetermined", among, faults.RankingUnknown},
		{"disturbed", "ranking undetermined", disturbed, faults.RankingUnknown},
		{"one mapping, disturbed", "disturbed machine", single, ""},
		{"wide", "50 to 220 MB/s expected", wide, ""},
	} {
		x.r.ProfileDisturbed, x.r.Search = "", nil
		if list := howSure(x.r); len(list) != 1 || list[0].Value != x.value {
			t.Errorf("%s: %+v", x.name, list)
		}
		if has := slices.ContainsFunc(allSure(x.r), func(n fault.Note) bool {
			return n.ID == faults.RankingUnknown
		}); has != (x.id != "") {
			t.Errorf("%s: JSON has %v", x.name, allSure(x.r))
		}
	}
}

// TestUnlimitedPrediction checks that a table marks a prediction with unlimited buffers beside predictions with the
// buffers of the runs.
func TestUnlimitedPrediction(t *testing.T) {
	r := rankedResult(40e6, 100e6, 1.1, 0)
	if x := cases(r); strings.Contains(x.Note, "unlimited") {
		t.Errorf("all predictions have the buffers of the runs, but the note is %q", x.Note)
	}
	r.Validation.Cases[0].Unlimited = true // random 1, with the lower prediction
	x := cases(r)
	at := x.column("predicted")
	first, second := x.Rows[0].Cells[at], x.Rows[1].Cells[at]
	if strings.Contains(first.Text, "≤") || !strings.Contains(second.Text, "≤") || !strings.Contains(x.Note, "≤") {
		t.Errorf("predicted %q and %q, note %q", first.Text, second.Text, x.Note)
	}
}
