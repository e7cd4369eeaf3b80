package xlang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xopt/internal/units"
)

// quantity says what an attribute must read as; its meaning is for package
// design.
func quantity(attribute string) func(string) (float64, error) {
	switch attribute {
	case "mu":
		return units.ParseRate
	case "time":
		return units.ParseTime
	case "fmax", "clock":
		return units.ParseFrequency
	case "gain", "scv", "lut", "ff", "bram", "dsp":
		return plainNumber
	}
	return nil
}

// plainNumber reads a figure that has no unit.
func plainNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("cannot read %q: want a number", text)
	}
	return x, nil
}

// checkQuantity reports an attribute whose value cannot be read, so that it is
// told together with all other mistakes. A rate, a time or a frequency has a unit.
func (e *elaborator) checkQuantity(name string, v Value) {
	parse := quantity(name)
	switch {
	case parse == nil:
	case v.IsNumber && (v.Number < 0 || v.Number == 0 && (name == "mu" || name == "time" || name == "clock")):
		e.failf(v.Pos, "", "%s is %g: want a positive value", name, v.Number)
	default:
		if _, err := parse(v.Text); err != nil {
			wrong, advice := units.Explain(err)
			if advice != "" {
				advice = strings.Replace(advice, "write ", "write "+name+"=", 1)
			}
			e.failf(v.Pos, advice, "%s: %s", name, wrong)
		}
	}
}
