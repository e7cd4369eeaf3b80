package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// prefix returns the factor of a unit prefix. It accepts an upper-case K for k, as in the papers.
func prefix(s string) (float64, bool) {
	switch s {
	case "":
		return 1, true
	case "k", "K":
		return 1e3, true
	case "M":
		return 1e6, true
	case "G":
		return 1e9, true
	case "T":
		return 1e12, true
	case "Ki", "ki":
		return 1 << 10, true
	case "Mi":
		return 1 << 20, true
	case "Gi":
		return 1 << 30, true
	case "Ti":
		return 1 << 40, true
	case "P":
		return 1e15, true
	case "E":
		return 1e18, true
	case "Pi":
		return 1 << 50, true
	case "Ei":
		return 1 << 60, true
	}
	return 0, false
}

// ParseRate parses a rate in bytes/s, such as 40MB/s, 1.5 GiB/s, 640Mbit/s, 640MBps or inf. MBps is 10^6 bytes/s, and
// Mbps is 10^6 bits/s.
func ParseRate(s string) (float64, error) {
	return parse(s, "a rate such as 40MB/s, 1.5GiB/s or 640Mbit/s", []string{"MB/s", "Mbit/s", "B/s"},
		func(unit string) (float64, bool) {
			if base, per, ok := strings.Cut(unit, "/"); ok {
				if per = strings.TrimSpace(per); per != "s" && per != "sec" {
					return 0, false
				}
				return bytesUnit(strings.TrimSpace(base))
			}
			if base, ok := strings.CutSuffix(unit, "ps"); ok {
				return bytesUnit(base)
			}
			return 0, false
		})
}

// ParseSize parses a size in bytes, such as 64KiB, 4kB or 4000B.
func ParseSize(s string) (float64, error) {
	return parse(s, "a size such as 64KiB, 4kB or 4000B", []string{"B", "kB", "KiB"}, bytesUnit)
}

// bytesUnit parses a prefix with B, byte(s), b or bit(s), and returns the number of bytes. It tries longer names first,
// because a longer name may end in a shorter name.
func bytesUnit(unit string) (float64, bool) {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"Bytes", 1}, {"bytes", 1}, {"Byte", 1}, {"byte", 1}, {"bits", 1. / 8}, {"bit", 1. / 8}, {"Bits", 1. / 8},
		{"Bit", 1. / 8}, {"B", 1}, {"b", 1. / 8}} {
		if p, ok := strings.CutSuffix(unit, u.name); ok {
			f, ok := prefix(p)
			return f * u.bytes, ok
		}
	}
	return 0, false
}

// ParseTime parses a time in seconds, such as 6.6us, 3ms or 2min.
func ParseTime(s string) (float64, error) {
	return parse(s, "a time such as 6.6us, 3ms or 2s", []string{"us", "ms", "s"}, func(unit string) (float64, bool) {
		switch unit {
		case "ps":
			return 1e-12, true
		case "ns":
			return 1e-9, true
		case "us", "µs", "μs":
			return 1e-6, true
		case "ms":
			return 1e-3, true
		case "s", "sec":
			return 1, true
		case "min":
			return 60, true
		case "h":
			return 3600, true
		}
		return 0, false
	})
}

// ParseFrequency parses a frequency in hertz, such as 100MHz.
func ParseFrequency(s string) (float64, error) {
	return parse(s, "a frequency such as 100MHz", []string{"MHz", "GHz", "Hz"}, func(unit string) (float64, bool) {
		if p, ok := strings.CutSuffix(unit, "Hz"); ok {
			return prefix(p)
		}
		return 0, false
	})
}

// ParsePower parses a power in watts, such as 15W or 150mW.
func ParsePower(s string) (float64, error) {
	return parse(s, "a power such as 15W or 150mW", []string{"W", "mW"}, func(unit string) (float64, bool) {
		p, ok := strings.CutSuffix(unit, "W")
		if ok && p == "m" {
			return 1e-3, true
		}
		f, isKnown := prefix(p)
		return f, ok && isKnown
	})
}

// ParsePrice parses a price in $/h, such as 0.40$/h.
func ParsePrice(s string) (float64, error) {
	return parse(s, "a price such as 0.40$/h", []string{"$/h"}, func(unit string) (float64, bool) {
		return 1, unit == "$/h"
	})
}

// NoUnitError is the error for a number without a unit.
type NoUnitError struct {
	Number string
	Units  []string // possible units
}

// Error returns a message that shows the number with each possible unit.
func (e *NoUnitError) Error() string { return e.Number + " has no unit: " + e.Advice("", "") }

// Advice suggests valid input: the number with each possible unit, between the texts before and after.
func (e *NoUnitError) Advice(before, after string) string {
	var b strings.Builder
	b.WriteString("write ")
	for i, unit := range e.Units {
		switch {
		case i > 0 && i == len(e.Units)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(before + e.Number + unit + after)
	}
	return b.String()
}

// Explain splits an error of this package into the fault and the correction, in the syntax of X files.
func Explain(err error) (wrong, advice string) {
	if e := (*NoUnitError)(nil); errors.As(err, &e) {
		return e.Number + " has no unit", e.Advice(`"`, `"`)
	}
	return err.Error(), ""
}

// parse parses a number with a unit and returns their product. want describes valid text, with examples. plain lists
// the units that an error suggests for a number without a unit. Only zero may have no unit.
func parse(s, want string, plain []string, unit func(string) (float64, bool)) (float64, error) {
	text := strings.TrimSpace(s)
	if text == "inf" || text == "unlimited" {
		return math.Inf(1), nil
	}
	number, name := split(text)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("cannot read %q: expected %s", s, want)
	}
	f, ok := unit(name)
	if !ok && name == "" && v == 0 {
		return 0, nil
	}
	if !ok && name == "" && v > 0 {
		return 0, &NoUnitError{Number: number, Units: plain}
	}
	if !ok {
		return 0, fmt.Errorf("cannot read %q: expected %s", s, want)
	}
	if v == 0 {
		return 0, nil // not the -0 of "-0"
	}
	if v < 0 {
		return 0, fmt.Errorf("cannot use %q: it is negative; expected %s", s, want)
	}
	if v *= f; math.IsInf(v, 0) {
		return 0, fmt.Errorf("cannot use %q: it is too large; expected %s", s, want)
	}
	return v, nil
}

// split separates a number from the unit that follows the number.
func split(text string) (number, unit string) {
	stop := strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && !strings.ContainsRune(".+-eE",
			r)
	})
	if stop < 0 {
		stop = len(text)
	}
	// An e without an exponent is part of the unit.
	for stop > 0 && strings.IndexByte("eE+-", text[stop-1]) >= 0 {
		stop--
	}
	return text[:stop], strings.TrimSpace(text[stop:])
}
