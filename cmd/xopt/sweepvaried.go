package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/xlang"
	"xopt/internal/units"
)

// varied is a config with the values that it takes.
type varied struct {
	name, unit string
	values     []string // without the unit
	ends       []string // of a range of plain numbers, as they are given; nil for anything else
	ranged     bool     // the values go from one end to another
}

// maxPoints is how many searches a sweep may make.
const maxPoints = 10_000

// parseVaried reads a --vary.
func parseVaried(text string, points int) (varied, error) {
	wrong := func(why string) (varied, error) {
		return varied{}, &usageError{fmt.Errorf("--vary %s: %s; want NAME.config=FROM..TO, such as "+
			"PCIX.bandwidth=10MB/s..1GB/s, or NAME.config=A,B,C", text, why)}
	}
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return wrong("it names no config or no values")
	}
	from, to, ranged := strings.Cut(values, "..")
	if ranged && !strings.Contains(name, ".") { // how many of a resource
		low, err := strconv.Atoi(from)
		high, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || low < 0 || high < low || high-low >= maxPoints {
			return wrong("a resource count must be at least 0, and TO at least FROM")
		}
		v := varied{name: name, ranged: true}
		for n := low; n <= high; n++ {
			v.values = append(v.values, strconv.Itoa(n))
		}
		return v, nil
	}
	if !ranged {
		return varied{name: name, values: strings.Split(values, ",")}, nil
	}
	for _, kind := range []struct {
		parse func(string) (float64, error)
		unit  string
	}{{func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, ""}, {units.ParseRate, "B/s"},
		{units.ParseFrequency, "Hz"}, {units.ParseTime, "s"}, {units.ParseSize, "B"}} {
		low, err := kind.parse(from)
		high, err2 := kind.parse(to)
		if err != nil || err2 != nil {
			continue
		}
		if !(low > 0 && high > low) || math.IsInf(high, 1) {
			return wrong("FROM must be above 0 and TO above FROM")
		}
		v := varied{name: name, unit: kind.unit, ranged: true}
		if v.unit == "" {
			v.ends = []string{from, to}
		}
		for _, x := range steps(low, high, points) {
			v.values = append(v.values, strconv.FormatFloat(x, 'g', 6, 64))
		}
		return v, nil
	}
	return wrong("its ends are not two numbers, rates, frequencies, times or sizes")
}

// steps are values from low to high, in equal steps of the logarithm.
func steps(low, high float64, points int) []float64 {
	list := make([]float64, points)
	for i := range list {
		list[i] = low * math.Pow(high/low, float64(i)/float64(points-1))
	}
	list[points-1] = high
	return list
}

// wholeSteps gives configs that are declared as whole numbers whole values: those of their range, rounded, each once.
func (a *app) wholeSteps(s *sweeping, points int) error {
	if !slices.ContainsFunc(s.list, func(v varied) bool { return v.ends != nil }) {
		return nil
	}
	first := make([]string, len(s.list))
	for j := range s.list {
		first[j] = s.list[j].values[0]
	}
	a.settings.Set = s.set(first)
	p, _, err := a.program(s.files)
	if a.settings.Set = s.given; err != nil {
		return err
	}
	for j := range s.list {
		v := &s.list[j]
		typ := p.SetTypes[strings.TrimSpace(v.name)]
		if v.ends == nil || !xlang.Whole(typ) {
			continue
		}
		low, err := strconv.ParseFloat(v.ends[0], 64)
		high, err2 := strconv.ParseFloat(v.ends[1], 64)
		if err != nil || err2 != nil || low != math.Trunc(low) || high != math.Trunc(high) {
			return wrongUse("--vary %s=%s..%s: the config is declared as %s: want whole numbers at both ends", v.name,
				v.ends[0], v.ends[1], typ)
		}
		v.values = nil
		for _, x := range steps(low, high, points) {
			text := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
			if len(v.values) == 0 || text != v.values[len(v.values)-1] {
				v.values = append(v.values, text)
			}
		}
	}
	return nil
}

// mostChecked is of how many values of one --vary it is checked before anything is searched that the files take them:
// of more only the first ones.
const mostChecked = 50

// checkValues is an error where the files do not take a value of a sweep: each of a list, and the ends of a range.
func (a *app) checkValues(ctx context.Context, s *sweeping) error {
	after := s.all // points of which one value is the same in a row, and all before it are the first
	for j := range s.list {
		v := &s.list[j]
		after /= len(v.values)
		for n := range v.values {
			last := n == len(v.values)-1
			if j > 0 && n == 0 || v.ranged && n > 0 && !last || n >= mostChecked && !last {
				continue
			}
			if _, _, err := a.designPoint(ctx, s, n*after); err != nil {
				return err
			}
		}
	}
	a.settings.Set = s.given
	return nil
}
