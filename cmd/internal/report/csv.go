package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"xopt/flow/profile"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// WriteCSV writes all tables of a page. A line with # and the title precedes each table.
func WriteCSV(w io.Writer, p *Page) error {
	var tables []*Table
	for _, s := range p.Sections {
		for _, x := range s.Parts {
			if x.Table != nil {
				tables = append(tables, x.Table)
			}
		}
	}
	return writeTables(w, FilesOf(tables))
}

// WriteCSV writes a table with plain numbers in SI units. Headings contain the unit. A column of units follows a column
// with several units, and a column of origins follows a column with origins. Cells without a figure are empty.
func (t *Table) WriteCSV(w io.Writer) error {
	origin, unit := make([]bool, len(t.Columns)), make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for i, c := range r.Cells {
			origin[i] = origin[i] || c.Origin != ""
			unit[i] = unit[i] || c.si != "" && t.Columns[i].Unit == ""
		}
	}
	var head []string
	for i := range t.Columns {
		field := t.Columns[i].field()
		if field == "" {
			field = unnamed(i, t.Columns[i].Number)
		}
		head = append(head, field)
		if unit[i] {
			head = append(head, field+" unit")
		}
		if origin[i] {
			head = append(head, field+" from")
		}
	}
	rows := [][]string{distinct(head)}
	for _, r := range t.Rows {
		var row []string
		for i, c := range r.Cells {
			c.Aside = ""
			text := c.String()
			switch {
			case c.blank:
				text = ""
			case c.IsFigure():
				text = strconv.FormatFloat(c.Value, 'g', -1, 64)
			}
			row = append(row, safetext.Line(text))
			if unit[i] {
				row = append(row, c.si)
			}
			if origin[i] {
				row = append(row, safetext.Line(c.Origin))
			}
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// unnamed returns a CSV heading for a column without a name.
func unnamed(i int, number bool) string {
	switch {
	case number:
		return "#"
	case i == 0:
		return "what"
	}
	return "value"
}

// distinct appends a number to each repeated name, so that all names differ.
func distinct(names []string) []string {
	seen := make(map[string]int)
	for i, n := range names {
		seen[n]++
		if seen[n] > 1 {
			names[i] = fmt.Sprintf("%s %d", n, seen[n])
		}
	}
	return names
}

// CalibrationHead returns the answer of a calibration: the number of kernels with figures, and the precision of the
// figures. It includes the slowest kernel if the intervals determine it.
func CalibrationHead(p *profile.Profile) []Part {
	s := &script{}
	existing, vague, names := 0, 0, make(map[string]bool)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if !hasRate(k) {
			continue
		}
		existing++
		names[cmp.Or(k.Instance, k.Block)] = true
		if half, ok := k.ServiceRate.Precision(); !k.ServiceRate.AtLeast && (!ok || half > vagueFrom) {
			vague++
		}
	}
	if existing == 0 {
		s.lead("Measured", "no kernels")
		return s.parts
	}
	figures := "intervals within "
	if vague > 0 {
		figures = units.Counted(vague, "figure has", "figures have") + " an interval wider than "
	}
	slowest := "slowest kernel undetermined"
	if k := slowestAlone(p); k != nil {
		slowest = fmt.Sprintf("slowest kernel: %s on %s, %s", cmp.Or(k.Instance, k.Block), k.Platform,
			units.Rate(k.ServiceRate.Value))
	}
	what := count(len(names), "kernel")
	if existing > len(names) {
		what = fmt.Sprintf("%s on several platforms (%d figures)", what, existing)
	}
	s.lead("Measured", "%s; %s; %s± %s", what, slowest, figures, units.Percent(vagueFrom))
	return s.parts
}

func hasRate(k *profile.Kernel) bool { return k.ServiceRate != nil && k.ServiceRate.Value > 0 }

// slowestAlone returns the kernel whose service rate is below the rates of all other kernels according to the
// intervals; nil if there is none. Instances of a block with equal rates count as one kernel.
func slowestAlone(p *profile.Profile) *profile.Kernel {
	var slowest *profile.Kernel
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if _, _, ok := k.ServiceRate.Interval(); ok && hasRate(k) && (slowest == nil ||
			k.ServiceRate.Value < slowest.ServiceRate.Value) {
			slowest = k
		}
	}
	if slowest == nil {
		return nil
	}
	_, high, _ := slowest.ServiceRate.Interval()
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if !hasRate(k) || k.Block == slowest.Block && k.Platform == slowest.Platform &&
			k.ServiceRate.Value == slowest.ServiceRate.Value {
			continue
		}
		low, _, ok := k.ServiceRate.Interval()
		if k.ServiceRate.AtLeast {
			low, ok = k.ServiceRate.Value, true
		}
		if !ok || low <= high {
			return nil
		}
	}
	return slowest
}

// vagueFrom is the relative half-width of an interval above which a figure counts as imprecise.
const vagueFrom = 0.1

// ValidationHead returns the answer of a validation: the errors of its predictions.
func ValidationHead(r *result.Result) []Part {
	s := &script{}
	v := r.Validation
	if v.Summary.Cases+v.Summary.Bounded == 0 {
		s.lead("Error", "unknown: %s", NoneRan(v, true))
		return s.parts
	}
	f := &factList{}
	f.validation(r)
	list := slices.DeleteFunc(f.list, func(x Fact) bool { return x.Label == "Repeatability" }) // the answer contains it
	return leads(list)
}

// ValidationShows returns the first sentence of a validation's page, with the errors of its predictions.
func ValidationShows(v *result.Validation) string {
	if v.Summary.Cases == 0 {
		return "No prediction was checked: " + NoneRan(v, true) + "."
	}
	return fmt.Sprintf("The predicted and the %s throughput of %s differ by %s in the median and by %s in the worst "+
		"case.", ranWords(v), count(v.Summary.Cases, "mapping"), units.Percent(v.Summary.Median),
		units.Percent(v.Summary.Worst))
}

// NoneRan states that no mapping of a validation has a throughput, with the reason for the first mapping if requested.
func NoneRan(v *result.Validation, reason bool) string {
	if v.Summary.Bounded > 0 {
		return "other programs disturbed the runs"
	}
	why := "no run ended"
	for i := range v.Cases {
		if x := v.Cases[i].Fail; x != "" {
			why = x
			break
		}
	}
	s := "no mapping could be " + verb(v)
	if reason {
		s += ": " + why
	}
	return s
}
