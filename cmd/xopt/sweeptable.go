package main

import (
	"fmt"
	"slices"
	"strconv"

	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/internal/view/text"
	"xopt/mapper"
)

// letter names a mapping: A to Z, then A1 and so on.
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

// anyStale reports whether a point rests on stale figures.
func (s *sweeping) anyStale() bool {
	return slices.ContainsFunc(s.done.Points, func(p result.SweptPoint) bool { return p.Stale > 0 })
}

// plain is the table of a sweep for machines, in SI units, with its headings.
func (s *sweeping) plain() [][]string {
	var head []string
	for _, v := range s.list {
		name := v.name
		if v.unit != "" {
			name += " (" + v.unit + ")"
		}
		head = append(head, name)
	}
	head = append(head, "throughput (B/s)")
	objective, stale := s.goal.First(), s.anyStale()
	if objective != mapper.Throughput {
		head = append(head, objective.String())
	}
	if stale {
		head = append(head, "stale figures")
	}
	rows := [][]string{append(head, "proof", "bottleneck", "mapping", "kernels")}
	for i := range s.done.Points {
		p := &s.done.Points[i]
		row := append(slices.Clone(p.Values), strconv.FormatFloat(float64(p.Throughput), 'g', -1, 64))
		if objective != mapper.Throughput {
			row = append(row, p.Objective)
		}
		if stale {
			row = append(row, fmt.Sprint(p.Stale))
		}
		where := ""
		if p.Mapping >= 0 {
			where = s.done.Mappings[p.Mapping]
		}
		rows = append(rows, append(row, p.Proof, p.Bottleneck, letter(p.Mapping), where))
	}
	return rows
}

// printSweep prints the table of a sweep.
func (a *app) printSweep(s *sweeping) error {
	points := s.done.Points
	var values []float64
	for _, p := range points {
		values = append(values, float64(p.Throughput))
	}
	scale := units.ScaleFor("B/s", values...)
	var head []string
	for _, v := range s.list {
		head = append(head, v.name)
	}
	head = append(head, scale.Heading("throughput"))
	objective, stale := s.goal.First(), s.anyStale()
	if objective != mapper.Throughput {
		head = append(head, objective.String())
	}
	if stale {
		head = append(head, "stale figures")
	}
	var rows [][]string
	for i, p := range points {
		changed := letter(p.Mapping)
		if i > 0 && p.Mapping >= 0 && points[i-1].Mapping != p.Mapping {
			changed += " (other)"
		}
		var row []string
		for j, v := range p.Values {
			row = append(row, s.list[j].show(v))
		}
		row = append(row, scale.Format(float64(p.Throughput)))
		if objective != mapper.Throughput {
			row = append(row, p.Objective)
		}
		if stale {
			row = append(row, fmt.Sprint(p.Stale))
		}
		rows = append(rows, append(row, p.Proof, p.Bottleneck, changed))
	}
	if err := text.WriteTable(a.stdout, view.FromText("The best mapping at each point, predicted; (other): it is not "+
		"that of the row above", append(head, "proof", "bottleneck", "mapping"), rows), a.style()); err != nil {
		return err
	}
	for i, m := range s.done.Mappings {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", letter(i), m); err != nil {
			return err
		}
	}
	return nil
}
