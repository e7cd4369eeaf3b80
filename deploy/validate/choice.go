package validate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
)

// Choice is a mapping to validate.
type Choice struct {
	Name    string
	Mapping *flow.Mapping
	Design  *design.Design // design with a kernel for each copy; nil for the application's design
	Buffers map[int]int    // capacities of the edges; nil for the capacities of the design
	File    string         // file of the mapping; "" if it was found by a search or drawn
}

// Choices returns named mappings without copies as choices.
func Choices(names []string, mappings []*flow.Mapping) []Choice {
	list := make([]Choice, len(mappings))
	for i, m := range mappings {
		list[i] = Choice{Name: names[i], Mapping: m}
	}
	return list
}

// of returns the design of the choice.
func (c *Choice) of(d *design.Design) *design.Design {
	if c.Design != nil {
		return c.Design
	}
	return d
}

// sizes returns the given capacities of the choice's edges.
func (c *Choice) sizes(d *design.Design) map[int]int {
	if c.Buffers != nil {
		return c.Buffers
	}
	return c.of(d).Buffers
}

// WithoutTwins omits mappings that equal an earlier mapping except for the names of equal cores, and adds notes about
// them. Mappings from files with different buffers are not equal, but a mapping without a file has no buffers of its
// own. The function mirrors returns, for each mapping, the index of the first mapping that equals it, like
// mapper.Mirrors.
func WithoutTwins(d *design.Design, list []Choice, mirrors func([]*flow.Mapping) ([]int, error)) (kept []Choice,
	notes []fault.Note, err error) {
	var plain []*flow.Mapping // without copies
	var at []int
	for i := range list {
		if list[i].Design == nil {
			plain, at = append(plain, list[i].Mapping), append(at, i)
		}
	}
	equal, err := mirrors(plain)
	if err != nil {
		return nil, nil, err
	}
	first := make([]int, len(list))
	for i := range first {
		first[i] = i
	}
	for j, f := range equal {
		first[at[j]] = at[f]
	}
	for i, f := range first {
		if f != i && (list[i].File == "" || maps.Equal(list[f].sizes(d), list[i].sizes(d))) {
			how := ""
			if !slices.Equal(list[f].Mapping.Place, list[i].Mapping.Place) {
				how = " with equal cores exchanged"
			}
			notes = append(notes, faults.MappingTwice.Notef("mapping %s equals %s%s, so xopt runs it only once, as %s",
				list[i].Name,
				list[f].Name, how, list[f].Name))
			continue
		}
		kept = append(kept, list[i])
	}
	return kept, notes, nil
}

// Choices returns the mappings that ran, with the designs and buffers from files, if any.
func (done *Done) Choices(d *design.Design, given []Choice) ([]Choice, error) {
	if len(done.Flows) != len(done.Cases) || len(done.Cases) == 0 {
		return nil, errors.New("the checkpoint contains no runs")
	}
	given = slices.Clone(given)
	list := make([]Choice, len(done.Cases))
	for i := range done.Cases {
		c := Choice{Name: done.Cases[i].Name, Buffers: d.Buffers}
		if j := slices.IndexFunc(given, func(g Choice) bool { return g.Name == c.Name }); j >= 0 {
			c = given[j]
			given = slices.Delete(given, j, j+1)
		}
		own := c.of(d)
		c.Mapping = done.Cases[i].Mapping
		if m := c.Mapping; m == nil || len(done.Flows[i]) != len(own.Program.Edges) ||
			len(m.Place) != len(own.Program.Kernels) || !belongsTo(own, m) {
			return nil, fmt.Errorf("mapping %d does not belong to this application", i+1)
		}
		list[i] = c
	}
	return list, nil
}

// belongsTo reports whether a mapping belongs to a design.
func belongsTo(d *design.Design, m *flow.Mapping) bool {
	_, err := flow.NewNetwork(d.Problem, m)
	return err == nil
}
