package report

import (
	"slices"

	"xopt/mapper/result"
)

// buffers lists the sizes to allocate, each with its level, reason, minimum size and the papers' estimate. A size
// covers the complete edge and is shown with the last queue of the edge.
func buffers(c *result.Candidate) []Part {
	if len(c.Queues) == 0 {
		return nil
	}
	papers, given := "", false
	for i := range c.Queues {
		q := &c.Queues[i]
		given = given || q.Given != nil
		if papers == "" && len(q.Estimates) > 0 {
			papers = q.Estimates[0].Estimator
		}
	}
	const whyLength = 40
	t := &Table{ID: "buffers", Title: "Recommended buffers", Figures: "predicted",
		Columns: []Column{name("edge"), name("before").about("kernel or link that serves the elements of the queue"),
			rate("flow").spare(1), counted("element", "bytes").spare(2),
			number("ρ").about("utilization of the server that consumes the elements").spare(8),
			counted("recommended", "elements").about("for the whole edge, from its writer to its reader"),
			size("size").spare(7),
			name("level").about("certainty of the size: proven, simulated or heuristic"),
			name("by").about("reason for the size").spare(5),
			counted("least", "elements").about("minimum size without deadlock").spare(4),
			counted(papers, "elements").about("size of each queue by the papers' formula, for an overflow " +
				"probability of 1e-7").spare(3),
			name("why").fold(whyLength).spare(6),
			name("why not less").fold(whyLength).detail().about("reason for the minimum size")}}
	if papers == "" {
		t.Columns = slices.Delete(t.Columns, 10, 11)
	}
	if given {
		t.Columns = append(t.Columns, counted("given", "elements"))
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		cells := []Cell{text(q.Edge), text(q.Before), figure(q.Flow), integer(q.ElementBytes), rho(q.Utilization)}
		s := q.Recommended
		if s != nil {
			cells = append(cells, integer(s.Elements), figure(s.Bytes), text(s.Level), text(s.Estimator),
				integer(s.Min))
		} else {
			cells = append(cells, dash(), dash(), dash(), dash(), dash())
		}
		if papers != "" {
			cells = append(cells, estimate(q, papers))
		}
		if s != nil {
			cells = append(cells, text(s.Reason), text(s.MinWhy))
		} else {
			cells = append(cells, text("included in the size before "+q.To), text(""))
		}
		if given && q.Given != nil {
			cells = append(cells, integer(q.Given.Elements))
		} else if given {
			cells = append(cells, text(""))
		}
		row := t.add(cells...)
		row.Hot, row.Load = hot(q.Utilization), float64(q.Utilization)
	}
	return []Part{{Table: t.scaled()}}
}

// estimate returns the size of a queue by one estimator. It returns a dash before a saturated server, where the
// estimate reflects only the distance of φ from 1.
func estimate(q *result.Queue, name string) Cell {
	if hot(q.Utilization) {
		return dash()
	}
	for _, x := range q.Estimates {
		if x.Estimator == name {
			return integer(x.Elements)
		}
	}
	return dash()
}

// estimates lists the size of each queue by each estimator; nil if there are none.
func estimates(c *result.Candidate) *Table {
	t := &Table{ID: "estimates", Title: "Queues: capacity K, including the element in service, for an overflow " +
		"probability of 1e-7",
		Figures: "predicted", Folded: true, Columns: []Column{name("edge"), name("before"),
			number("ρ").about("utilization of the server that consumes the elements")}}
	var names []string
	for i := range c.Queues {
		for _, x := range c.Queues[i].Estimates {
			if !slices.Contains(names, x.Estimator) {
				names = append(names, x.Estimator)
				column := counted(x.Estimator, "elements")
				if len(names) > 1 { // never drop the papers' estimator, and drop the last estimator first
					column = column.spare(maxEstimators - len(names))
				}
				t.Columns = append(t.Columns, column)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		cells := []Cell{text(q.Edge), text(q.Before), rho(q.Utilization)}
		for _, n := range names {
			cells = append(cells, estimate(q, n))
		}
		row := t.add(cells...)
		row.Hot, row.Load = hot(q.Utilization), float64(q.Utilization)
	}
	return t
}

// maxEstimators is larger than the number of estimators.
const maxEstimators = 100
