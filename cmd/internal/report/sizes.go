package report

import (
	"fmt"
	"slices"

	"xopt/deploy/validate"
	"xopt/mapper/result"
)

// recommendedSizes are, for each edge, the mapping in which the most that was measured came nearest to what is
// recommended, or went beyond; of those in which a size is certified, where there are any.
func recommendedSizes(v *result.Validation) []Part {
	t := &Table{ID: "sizes",
		Title: "Recommended sizes, in elements, beside the largest queue seen (polled every 10 ms), for the mapping " +
			"closest to its prediction",
		Columns: []Column{name("edge"), name("mapping"), number("recommended"),
			name("level").about("how sure the size is: proven, certified, simulated or heuristic"),
			number("certified").about("by Lundberg's bound on measured times, for a probability of 1e-7"),
			number("measured"), number("ratio").about("the recommended size over the largest queue seen"),
			number("buffer").about("what the buffer of the edge could hold").detail(), name("exceeded").spare(1),
			name("why not certified").fold(anyLength).spare(2)}}
	var names []string
	type at struct {
		size *result.ValidatedSize
		of   string
	}
	nearest := make(map[string]at)
	var all []validate.Size
	for _, c := range measuredCases(v) {
		for i := range c.Sizes {
			x := &c.Sizes[i]
			all = append(all, sized(x))
			if !slices.Contains(names, x.Edge) {
				names = append(names, x.Edge)
			}
			if known, ok := nearest[x.Edge]; !ok || nearer(x, known.size) {
				nearest[x.Edge] = at{x, c.Name}
			}
		}
	}
	for _, e := range names {
		x, of := nearest[e].size, nearest[e].of
		size := sized(x)
		certified, exceeded := dash(), ""
		if x.Certified > 0 {
			certified, exceeded = whole(x.Certified), "no"
		}
		switch {
		case size.Exceeded():
			exceeded = "yes, the certified size"
		case x.Measured > x.Recommended:
			exceeded = "yes, but not certified"
		}
		t.add(text(e), text(of), whole(x.Recommended), text(x.Level), certified, whole(x.Measured),
			decimals(size.OverMost(size.Recommended), 2), whole(x.Buffer), text(exceeded), text(x.Refused))
	}
	if len(names) == 0 {
		return nil
	}
	return append(tableParts(t.scaled()), Part{Text: CertifiedLine(validate.Certify(all), len(all))})
}

// nearer reports whether a size says more of its edge than another: it is certified, or nearer to what was
// measured.
func nearer(x, than *result.ValidatedSize) bool {
	if is, was := x.Certified > 0, than.Certified > 0; is != was {
		return is
	}
	return x.Measured*than.Recommended > than.Measured*x.Recommended
}

// sized is the size of a result, as validation compares it.
func sized(x *result.ValidatedSize) validate.Size {
	return validate.Size{Recommended: float64(x.Recommended), Level: x.Level, Certified: float64(x.Certified),
		Refused: x.Refused, Measured: float64(x.Measured), Buffer: float64(x.Buffer)}
}

// CertifiedLine sums up how certified sizes did.
func CertifiedLine(c validate.CertifiedSizes, of int) string {
	if c.Queues == 0 {
		return fmt.Sprintf("Certified: none of %d queues.", of)
	}
	return fmt.Sprintf("Certified: %d of %d queues, %d exceeded, median certified size over the largest queue seen "+
		"%.2f.",
		c.Queues, of, c.Exceeded, c.Median)
}
