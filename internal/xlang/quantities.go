package xlang

import (
	"fmt"

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
	case "fmax":
		return units.ParseFrequency
	case "gain", "scv", "lut", "ff", "bram", "dsp":
		return func(text string) (float64, error) {
			return 0, fmt.Errorf("cannot read %q: want a number", text)
		}
	}
	return nil
}

// checkQuantity reports an attribute whose value cannot be read, so that it is
// told together with all other mistakes. A plain number is in SI units.
func (e *elaborator) checkQuantity(name string, v Value) {
	parse := quantity(name)
	switch {
	case parse == nil:
	case v.IsNumber && (v.Number < 0 || v.Number == 0 && (name == "mu" || name == "time")):
		e.failf(v.Pos, "", "%s is %g: want a positive value", name, v.Number)
	case v.IsNumber:
	default:
		if _, err := parse(v.Text); err != nil {
			e.failf(v.Pos, "", "%s: %v", name, err)
		}
	}
}
