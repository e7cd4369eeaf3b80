package report

import (
	"slices"

	"xopt/mapper/result"
)

// recommendedSizes shows each edge for the mapping in which its queue was longest relative to the recommended size.
// Every mapping has its own recommended sizes. The table omits buffers that are not larger than recommended, because no
// queue can exceed them.
func recommendedSizes(v *result.Validation) []Part {
	t := &Table{ID: "sizes",
		Title: "Recommended sizes and longest queues in elements (polled every 10 ms). Each edge is shown for the " +
			"mapping in which its queue was longest relative to the recommended size",
		Columns: []Column{name("edge"), name("in mapping").about("mapping in which the queue was longest"),
			number("recommended"),
			name("level").about("certainty of the size: proven, simulated or heuristic"),
			number(verb(v)).about("longest queue"), number("ratio").about("recommended size / largest queue"),
			number("buffer").about("capacity of the buffer").detail(),
			name("longer than recommended").spare(1)}}
	var names []string
	type at struct {
		size *result.ValidatedSize
		of   string
	}
	nearest := make(map[string]at)
	for _, c := range measuredCases(v) {
		for i := range c.Sizes {
			x := &c.Sizes[i]
			if x.Buffer <= x.Recommended {
				continue
			}
			if !slices.Contains(names, x.Edge) {
				names = append(names, x.Edge)
			}
			if existing, ok := nearest[x.Edge]; !ok || nearer(x, existing.size) {
				nearest[x.Edge] = at{x, c.Name}
			}
		}
	}
	for _, e := range names {
		x, of := nearest[e].size, nearest[e].of
		t.add(text(e), text(of), integer(x.Recommended), text(x.Level), integer(x.Measured),
			decimals(x.RatioToMax(x.Recommended), 2), integer(x.Buffer), yesNo(x.Measured > x.Recommended))
	}
	if len(names) == 0 {
		return nil
	}
	return tableParts(t.scaled())
}

// nearer reports whether the queue of x fills a larger fraction of its recommended size than the queue of y.
func nearer(x, y *result.ValidatedSize) bool {
	return x.Measured*y.Recommended > y.Measured*x.Recommended
}
