package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

func prediction(r *result.Result) []Fact {
	if r.Prediction == nil || r.Measured == nil {
		return nil
	}
	c := r.Prediction
	off := predict.Compare(c, r.Measured)[0]
	note := fmt.Sprintf("%s; %s", off.Off(), rests(c))
	if s := offBecause(c, r.Measured); s != "" {
		note += "; " + s
	}
	return []Fact{{"Predicted", units.Rate(float64(c.Throughput)), note}}
}

// missedSome is the relative error above which the output names the kernel with the largest deviation.
const missedSome = 0.03

// offBecause names the kernel with the largest deviation in a run that missed its prediction; "" if it is unknown.
func offBecause(c *result.Candidate, m *result.Measured) string {
	off := predict.Compare(c, m)[0]
	if off.Short || off.Measured == 0 || math.Abs(off.Error()) < missedSome {
		return ""
	}
	d := predict.Deviates(c, m)
	if d == nil {
		return ""
	}
	s := "largest deviation: " + d.String()
	if m.Disturbed != "" {
		s += ", on a disturbed machine"
	}
	return s
}

// runBeside returns the comparison of a run with its prediction; nil if there is no prediction.
func runBeside(r *result.Result) *Table {
	if r.Prediction == nil {
		return nil
	}
	return runBesideOf(r.Prediction, r.Measured)
}

func runBesideOf(c *result.Candidate, m *result.Measured) *Table {
	t := Comparisons(fmt.Sprintf("Predicted and %[1]s values; error = (predicted - %[1]s) / %[1]s", how(m)), how(m),
		predict.Compare(c, m))
	if s := offBecause(c, m); s != "" {
		t.Note = strings.TrimSpace("(" + s + ") " + t.Note)
		d := predict.Deviates(c, m)
		for i := range t.Rows {
			t.Rows[i].Hot = t.Rows[i].Cells[0].Text == predict.BusyOf(d.Kernel)
		}
	}
	return t
}

// besideNote explains the rows of kernels.
const besideNote = "(busy: utilization, predicted at the predicted throughput; error: predicted - measured, in " +
	"percentage points)"

// busyBase names the throughput for which the rows of kernels are predicted. The line about the kernel with the largest
// deviation refers to the throughput of the run instead. Without this line, busyBase returns "".
func busyBase(c *result.Candidate, m *result.Measured) string {
	if offBecause(c, m) == "" {
		return ""
	}
	return "(busy: predicted for " + units.Rate(float64(c.Throughput)) + ")"
}

// Comparisons compares predictions with measured or simulated values.
func Comparisons(title, found string, list []predict.Comparison) *Table {
	t := &Table{ID: "beside", Title: title, Ranking: "largest errors", Columns: []Column{name(""),
		number("predicted"), number(found), number("error")}}
	for i := range list {
		b := &list[i]
		predicted, measured := alone(b.Predicted, "B/s"), alone(b.Measured, "B/s")
		if b.Part {
			predicted, measured = bar(b.Predicted), bar(b.Measured)
		}
		off := dash()
		if words := b.ErrorText(); words != "-" {
			number, unit, _ := strings.Cut(words, " ")
			off = Cell{Text: number, Unit: unit, Value: b.Error(), Valued: true}
		}
		t.add(text(b.What), predicted, measured, off).Load = math.Abs(b.Error())
		if b.Part {
			t.Note = besideNote
		}
	}
	return t
}
