package report

import "slices"

// Change is one rate, before and after something was changed.
type Change struct {
	What          string
	Before, After float64   // bytes/s
	Spread        [2]string // of the samples before and after, "± 2 %"; "" where there are none
	Change        string    // "~" where the samples do not tell it from chance
	Confidence    string    // p and the number of samples; of predictions, the origin of their figures
}

// Changes are what changed.
func Changes(id, title string, list []Change) *Table {
	const width = 60
	sure := name("how sure").fold(width)
	if slices.ContainsFunc(list, func(x Change) bool { return x.Spread[0] != "" }) {
		sure = sure.spare(1) // "~" and the intervals say most of it
	}
	t := &Table{ID: id, Title: title, Columns: []Column{name("").fold(width), rate("before").own(),
		rate("after").own(), number("change"), sure}}
	for _, x := range list {
		t.add(text(x.What), spread(x.Before, x.Spread[0]), spread(x.After, x.Spread[1]), text(x.Change),
			text(x.Confidence))
	}
	return t
}

// spread is a rate with what its samples differ by.
func spread(v float64, by string) Cell {
	c := alone(v, "B/s")
	if by != "" {
		c.Aside = by
	}
	return c
}
