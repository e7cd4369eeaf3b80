package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper/faults"
)

// MaxPoints is the maximum number of points of a sweep.
const MaxPoints = 10_000

// Varied is a config, or the size of a resource array, with its values.
type Varied struct {
	Name, Unit string
	Values     []string // without the unit
	bounds     []string // ends of a range of numbers without units, as stated; nil otherwise
	ranged     bool     // the values are a range
}

// ParseVaried parses NAME.config=FROM..TO, NAME.config=A,B,C or RESOURCE=FROM..TO. The range of a config yields the
// given number of values, equally spaced on a log scale. The range of a resource yields all integers.
func ParseVaried(text string, points int) (Varied, error) {
	wrong := func(why string) (Varied, error) {
		return Varied{}, faults.WrongVary.Errorf("--vary %s: %s (use NAME.config=FROM..TO, such as "+
			"PCIX.bandwidth=10MB/s..1GB/s, NAME.config=A,B,C or RESOURCE=FROM..TO)", text, why)
	}
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return wrong("the config or its values are missing")
	}
	from, to, ranged := strings.Cut(values, "..")
	if !ranged {
		return Varied{Name: name, Values: strings.Split(values, ",")}, nil
	}
	v := Varied{Name: name, ranged: true}
	if !strings.Contains(name, ".") { // the size of a resource array
		low, err := strconv.Atoi(from)
		high, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || low < 0 || high < low || high-low >= MaxPoints {
			return wrong("a resource count must be a whole number of at least 0, and TO must be from FROM to FROM + " +
				strconv.Itoa(MaxPoints-1))
		}
		for n := low; n <= high; n++ {
			v.Values = append(v.Values, strconv.Itoa(n))
		}
		return v, nil
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
		if v.Unit = kind.unit; v.Unit == "" {
			v.bounds = []string{from, to}
		}
		for _, x := range steps(low, high, points) {
			v.Values = append(v.Values, strconv.FormatFloat(x, 'g', 6, 64))
		}
		return v, nil
	}
	return wrong("FROM and TO are not both numbers, rates, frequencies, times or sizes")
}

// steps returns values from low to high, equally spaced on a log scale.
func steps(low, high float64, points int) []float64 {
	list := make([]float64, points)
	for i := range list {
		list[i] = low * math.Pow(high/low, float64(i)/float64(points-1))
	}
	list[points-1] = high
	return list
}

// Plain reports whether the values are a range of numbers without units.
func (v *Varied) Plain() bool { return v.bounds != nil }

// Round rounds the values of a range for a config that is declared as an integer, and removes duplicates.
func (v *Varied) Round(declared string, points int) error {
	if !v.Plain() || !xlang.IsInteger(declared) {
		return nil
	}
	low, err := strconv.ParseFloat(v.bounds[0], 64)
	high, err2 := strconv.ParseFloat(v.bounds[1], 64)
	if err != nil || err2 != nil || low != math.Trunc(low) || high != math.Trunc(high) {
		return faults.WrongVary.Errorf("--vary %s=%s..%s: the config is declared as %s (use whole numbers for "+
			"FROM and TO)", v.Name, v.bounds[0], v.bounds[1], declared)
	}
	v.Values = nil
	for _, x := range steps(low, high, points) {
		v.Values = append(v.Values, strconv.FormatFloat(math.Round(x), 'f', 0, 64))
	}
	v.Values = slices.Compact(v.Values)
	return nil
}
