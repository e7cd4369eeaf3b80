package report

import (
	"fmt"

	"xopt/bench/unseen"
	"xopt/flow/profile"
)

// nth returns the heading of the column of a calibration.
func nth(i int) string { return fmt.Sprintf("calibration %d", i+1) }

// RepeatedPredictions returns a table of the predictions of several calibrations for the same mappings.
func RepeatedPredictions(r *unseen.Repeated) *Table {
	t := &Table{ID: "repeated-predictions", Title: "Predictions of the same mappings with the figures of each " +
		"calibration", Columns: []Column{name("mapping")}}
	for i := range r.Disturbed {
		t.Columns = append(t.Columns, rate(nth(i)))
	}
	t.Columns = append(t.Columns, number("change").about("largest prediction relative to the smallest "+
		"prediction, minus 1"))
	for i := range r.Predictions {
		p := &r.Predictions[i]
		row := []Cell{text(p.Name)}
		for _, x := range p.Throughput {
			row = append(row, figure(x))
		}
		t.add(append(row, part(p.Change()))...)
	}
	median, worst := part(r.Change.Median), part(r.Change.Worst)
	t.Note = fmt.Sprintf("(change: median %s, worst %s)", median.String(), worst.String())
	return t.scaled()
}

// RepeatedCosts returns a table of the times of kernels per byte in several calibrations.
func RepeatedCosts(r *unseen.Repeated) *Table {
	t := &Table{ID: "repeated-costs", Title: "Times of kernels per byte in each calibration",
		Columns: []Column{name("kernel"), name("figure")}}
	for i := range r.Disturbed {
		t.Columns = append(t.Columns, Column{Name: nth(i), Unit: "s/B", Number: true})
	}
	t.Columns = append(t.Columns, name("agree").about("yes if all intervals have a value in common"))
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []Cell{text(c.Kernel), text(c.What)}
		switch c.What {
		case "service rate":
			row[1] = text("alone")
		case "co-location cost", "switch cost", "receive cost", "send cost":
		default:
			continue
		}
		for j := range c.Figures {
			row = append(row, perByteCell(&c.Figures[j], c.What == "service rate"))
		}
		for len(row) < len(t.Columns)-1 {
			row = append(row, dash())
		}
		t.add(append(row, yesNo(c.Agree))...)
	}
	t.Note = fmt.Sprintf("(figures whose intervals agree: %s)", shareWords(r.Agree))
	return t.scaled()
}

// perByteCell shows a time per byte with its interval. inverse converts a rate.
func perByteCell(f *profile.Figure, inverse bool) Cell {
	value, low, high, ok := f.Value, 0.0, 0.0, false
	if low, high, ok = f.Interval(); inverse {
		value, low, high = 1/value, 1/high, 1/low
	}
	c := figure(value)
	if ok {
		c = c.withInterval(low, high)
	}
	return c
}
