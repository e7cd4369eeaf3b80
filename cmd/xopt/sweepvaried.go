package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xopt/internal/units"
)

// varied is a config with the values that it takes.
type varied struct {
	name, unit string
	values     []string // without the unit
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
		if err != nil || err2 != nil || low < 1 || high < low || high-low >= maxPoints {
			return wrong("the number of a resource goes from 1 or more up")
		}
		v := varied{name: name}
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
		v := varied{name: name, unit: kind.unit}
		for i := range points {
			x := low * math.Pow(high/low, float64(i)/float64(points-1))
			v.values = append(v.values, strconv.FormatFloat(x, 'g', 6, 64))
		}
		return v, nil
	}
	return wrong("its ends are not two numbers, rates, frequencies, times or sizes")
}
