package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// letter returns the short name of a mapping in a sweep: A to Z, then A1, B1, ….
func letter(i int) string {
	const letters = 26
	if i < 0 {
		return "-"
	}
	name := string(rune('A' + i%letters))
	if i >= letters {
		name += strconv.Itoa(i / letters)
	}
	return name
}

// SweepID is the prefix of the file names of a sweep's chart and table.
const SweepID = "sweep"

// sweepNote explains the mark of a change along the setting that varies fastest.
func sweepNote(s *result.Sweep) string {
	var same []string
	for i := range s.Varied[:len(s.Varied)-1] {
		same = append(same, s.Varied[i].Name)
	}
	with := ""
	if len(same) > 0 {
		with = " with the same " + strings.Join(same, " and ")
	}
	return "(changed) = the best mapping differs from the mapping of the previous row" + with + "; mappings that tie " +
		"do not count as different"
}

// Sweep returns the table of the best mapping at each point, and a list of these mappings.
func Sweep(s *result.Sweep) []Part {
	parts := append(leads(sweepFacts(s)), tableParts(SweepTable(s))...)
	for i, m := range s.Mappings {
		parts = append(parts, Part{Text: letter(i) + ": " + m})
	}
	return parts
}

// sweeps returns the section of a page for a sweep.
func sweeps(r *result.Result) Section {
	s := Section{ID: "points", Title: "Sweep"}
	if r.Sweep == nil || len(r.Sweep.Points) == 0 {
		return s
	}
	s.Parts = append([]Part{{Chart: SweepChart(r.Sweep)}}, tableParts(SweepTable(r.Sweep))...)
	// The page has IDs of its own for the chart and the table.
	s.Parts[0].Chart.ID = SweepID + "-chart"
	return s
}

// SweepTable returns a table with one row per point.
func SweepTable(s *result.Sweep) *Table {
	t := &Table{ID: SweepID, Title: "The best mapping at each point, predicted with unlimited buffers"}
	for i := range s.Varied {
		v := &s.Varied[i]
		numbers := true
		for j := range s.Points {
			cell := swept(v, s.Points[j].Values[i])
			numbers = numbers && cell.Valued
		}
		t.Columns = append(t.Columns, Column{Name: v.Name, Unit: unitOf(v), Number: numbers, each: true})
	}
	if s.Objective != "" {
		t.Columns = append(t.Columns, number(s.Objective))
	}
	t.Columns = append(t.Columns, rate("throughput"))
	stale := slices.ContainsFunc(s.Points, func(p result.SweptPoint) bool { return p.Stale > 0 })
	if stale {
		t.Columns = append(t.Columns, number("stale figures"))
	}
	t.Columns = append(t.Columns, name("proof"), name("bottleneck").fold(30),
		name("mapping"), name("kernels").detail())
	best := s.Best()
	for i := range s.Points {
		p := &s.Points[i]
		row := t.add()
		row.Hot = i == best
		for j, v := range p.Values {
			row.Cells = append(row.Cells, swept(&s.Varied[j], v))
		}
		row.Cells = append(row.Cells, sweptFigures(s, p, stale)...)
		mapping, where := text(letter(p.Mapping)), ""
		if p.Mapping >= 0 {
			where = s.Mappings[p.Mapping]
			if changed(s, i) {
				mapping.Aside = "(changed)"
				t.Note = sweepNote(s)
			}
		}
		row.Cells = append(row.Cells, text(sweptProof(p)), predictedLimits([]string{p.Bottleneck}, p.Possible),
			mapping, text(where))
	}
	return t.scaled()
}

// sweptProof describes the proof of a point. It adds whether the proof depends on stale figures and whether the search
// ended early.
func sweptProof(p *result.SweptPoint) string {
	proof := p.Proof
	if p.Stale > 0 {
		proof = strings.Replace(proof, "optimal", "optimal for these figures", 1)
	}
	if p.Early && p.Proof != result.Interrupted {
		proof += "; ended early"
	}
	return proof
}

// sweptFigures returns the cells of a point: the objective unless it is throughput, and the throughput. If any point
// depends on stale figures, the number of stale figures follows. Without a mapping, the cells are empty.
func sweptFigures(s *result.Sweep, p *result.SweptPoint, stale bool) []Cell {
	cells := []Cell{none(), none(), none()}
	if p.Mapping >= 0 {
		cells = []Cell{text(p.Objective), figure(p.Throughput), integer(p.Stale)}
	}
	if !stale {
		cells = cells[:2]
	}
	if s.Objective == "" {
		cells = cells[1:]
	}
	return cells
}

// changed reports whether the best mapping differs from the mapping of the last earlier point with a mapping. It
// compares only points that differ in the fastest-varying setting alone.
func changed(s *result.Sweep, i int) bool {
	if len(s.Varied) == 0 || s.Points[i].Mapping < 0 {
		return false
	}
	line := i - i%max(len(s.Varied[len(s.Varied)-1].Values), 1)
	for j := i - 1; j >= line; j-- {
		if before := s.Points[j].Mapping; before >= 0 {
			return before != s.Points[i].Mapping
		}
	}
	return false
}

// swept shows one value of a setting.
func swept(v *result.Varied, s string) Cell {
	x, unit, ok := quantity(v, s)
	switch {
	case !ok:
		return text(s)
	case unit == "":
		return value(s, x)
	}
	return alone(x, unit)
}

// quantity parses a value of a setting. A plain number has the unit of the setting. If all values have units of one
// kind, the value has the SI unit of that kind. ok is false for other values.
func quantity(v *result.Varied, s string) (x float64, unit string, ok bool) {
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		return x, v.Unit, true
	}
	for _, kind := range []struct {
		parse func(string) (float64, error)
		unit  string
	}{{units.ParseRate, "B/s"}, {units.ParseFrequency, "Hz"}, {units.ParseTime, "s"}, {units.ParseSize, "B"}} {
		x, err := kind.parse(s)
		other := func(s string) bool {
			_, err := kind.parse(s)
			return err != nil
		}
		if err == nil && !slices.ContainsFunc(v.Values, other) {
			return x, kind.unit, true
		}
	}
	return 0, "", false
}

// unitOf returns the SI unit of a setting's values; "" for plain numbers and for words.
func unitOf(v *result.Varied) string {
	if v.Unit != "" || len(v.Values) == 0 {
		return v.Unit
	}
	_, unit, _ := quantity(v, v.Values[0])
	return unit
}

// along returns the setting for the chart's axis: the setting with the most values or, in a tie, the fastest-varying
// setting.
func along(s *result.Sweep) int {
	maximum := len(s.Varied) - 1
	for i := range s.Varied {
		if len(s.Varied[i].Values) > len(s.Varied[maximum].Values) {
			maximum = i
		}
	}
	return maximum
}

// SweepChart charts the objective along one setting, with one line per combination of the other settings. With a single
// numeric setting, bands show where each mapping is best, and an area shows the gap to the bound. Otherwise, a mark
// shows each change of the best mapping.
func SweepChart(s *result.Sweep) *Chart {
	axis := along(s)
	x := &s.Varied[axis]
	scale, up := sweepScales(s, axis)
	column, by := Column{Name: x.Name, Shown: scale.Unit()}, sweptObjective(s)
	c := &Chart{ID: SweepID, Title: "The best mapping at each point, predicted with unlimited buffers",
		X: Axis{Name: column.Heading(), Log: unitOf(x) != ""}, Y: Axis{Name: up.Heading(by)}}
	numbers := !slices.ContainsFunc(s.Points, func(p result.SweptPoint) bool {
		_, _, ok := quantity(x, p.Values[axis])
		return !ok
	})
	if !numbers {
		c.X.Log, c.X.Categories = false, x.Values
	}
	changes := Series{Name: "another mapping", Kind: Markers}
	lines := make(map[string]int)
	places := make([]float64, len(s.Points))
	for i := range s.Points {
		p := &s.Points[i]
		at := float64(slices.Index(x.Values, p.Values[axis]))
		if numbers {
			at, _, _ = quantity(x, p.Values[axis])
			at = scale.Of(at)
		}
		places[i] = at
		name := otherValues(s, p, axis)
		n, isKnown := lines[name]
		if !isKnown {
			n = len(c.Series)
			lines[name] = n
			c.Series = append(c.Series, Series{Name: name, Kind: Line})
		}
		value := up.Of(sweptValue(p, by))
		if axis == len(s.Varied)-1 && changed(s, i) {
			changes.X, changes.Y = append(changes.X, at), append(changes.Y, value)
		}
		if p.Mapping >= 0 {
			line := &c.Series[n]
			line.X, line.Y = append(line.X, at), append(line.Y, value)
		}
	}
	c.ties()
	if numbers && len(s.Varied) == 1 {
		c.sweepBands(s, places)
		c.sweepBound(s, places, up)
		c.sweepKnee(s, places)
	} else if len(changes.X) > 0 {
		c.Series = append(c.Series, changes)
	}
	return c
}

// otherValues lists the values of all settings of a point except one. Without other settings, it returns the quantity
// of the line.
func otherValues(s *result.Sweep, p *result.SweptPoint, but int) string {
	if len(p.Values) == 1 {
		return sweptObjective(s)
	}
	var names []string
	for j, v := range p.Values {
		if j != but {
			shown := swept(&s.Varied[j], v)
			names = append(names, fmt.Sprintf("%s = %s", s.Varied[j].Name, shown.String()))
		}
	}
	return strings.Join(names, ", ")
}

// sweptObjective returns the objective of a sweep. It returns throughput for sweeps of earlier versions, which stored
// no figures of other objectives.
func sweptObjective(s *result.Sweep) string {
	if s.Objective != "" && slices.ContainsFunc(s.Points, func(p result.SweptPoint) bool { return p.Value != 0 }) {
		return s.Objective
	}
	return mapper.Throughput.String()
}

// sweptValue returns the figure of an objective at a point.
func sweptValue(p *result.SweptPoint, objective string) float64 {
	if objective == mapper.Throughput.String() {
		return float64(p.Throughput)
	}
	return float64(p.Value)
}

// sweepScales returns the scales of a sweep's axes: for a setting and for the objective.
func sweepScales(s *result.Sweep, axis int) (along, up units.Scale) {
	var values, figures []float64
	by := sweptObjective(s)
	for i := range s.Points {
		if v, _, ok := quantity(&s.Varied[axis], s.Points[i].Values[axis]); ok {
			values = append(values, v)
		}
		figures = append(figures, sweptValue(&s.Points[i], by))
	}
	if unit := unitOf(&s.Varied[axis]); prefixed(unit) {
		along = scaleOf(unit, values...)
	} else {
		along = units.ScaleFor(unit)
	}
	return along, objectiveScale(by, figures)
}
