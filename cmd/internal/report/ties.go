package report

import (
	"math"
	"strings"
)

// ties makes one of all lines of a chart that lie on each other, with the names of all: of several in the same
// place a reader would see only the one that is drawn last.
func (c *Chart) ties() {
	const and = " and "
	var list []Series
	for i := range c.Series {
		s := &c.Series[i]
		at := -1
		for j := range list {
			if s.Kind == Line && list[j].Kind == Line && list[j].over(s) {
				at = j
			}
		}
		if at < 0 {
			list = append(list, *s)
			continue
		}
		list[at].Name += and + s.Name
	}
	c.Series = list
	for i := range list {
		if strings.Contains(list[i].Name, and) {
			c.Note = strings.TrimPrefix(c.Note+" One line for "+list[i].Name+": they have the same values.", " ")
		}
	}
}

// over reports whether a series hides another: it has the same points.
func (s *Series) over(o *Series) bool {
	if len(s.X) != len(o.X) || len(s.X) == 0 {
		return false
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= hidden*math.Abs(a) }
	for i := range s.X {
		if !same(s.X[i], o.X[i]) || !same(s.Y[i], o.Y[i]) {
			return false
		}
	}
	return true
}
