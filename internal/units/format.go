// Package units parses and formats quantities with their units: rates in bytes/s, sizes in bytes, times in seconds,
// frequencies in hertz. All other code uses these units without prefixes.
//
// # Input
//
// The input is a number, an optional space, and a unit:
//
//   - bytes: B, byte or bytes
//   - bits: b, bit or bits
//   - rates: the unit of a size with /s, /sec or ps
//   - times: ps, ns, us (or µs), ms, s (or sec), min or h
//   - frequencies: Hz
//   - powers: W or mW
//   - prices: $/h
//
// Bytes, bits and hertz have the prefixes k (or K), M, G, T, P and E for powers of 1000. Ki, Mi, Gi, Ti, Pi and Ei are
// powers of 1024. The texts inf and unlimited are infinite quantities. Any other input, including negative numbers and
// NaN, is an error. The error contains the text and an example of valid input.
//
// # Output
//
// The output has three significant digits without trailing zeros, an SI prefix, and the unit. Infinity becomes
// "unlimited", and NaN becomes "unknown". The Parse functions accept the output of [Rate], [Size], [Time] and
// [Frequency] for a finite number or infinity.
package units

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// significant is the number of significant digits of quantities and percentages. The precision of measurements and
// models does not justify more digits in text. Files contain all digits.
const significant = 3

// Rate formats bytes/s, such as "26.8 MB/s".
func Rate(v float64) string { return scaled(v, "B/s") }

// Size formats bytes, such as "4 kB".
func Size(v float64) string { return scaled(v, "B") }

// SizeUp is like Size, but rounds up, so that the printed size is sufficient.
func SizeUp(v float64) string {
	if !(v > 1e3) || math.IsInf(v, 1) {
		return Size(math.Ceil(v))
	}
	return Size(Rounded(v, significant, math.Ceil))
}

// Rounded rounds a finite number other than 0 to n significant digits with math.Round, math.Ceil or math.Floor.
func Rounded(v float64, n int, round func(float64) float64) float64 {
	last := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(n)+1)
	return round(v/last) * last
}

// Time formats seconds, such as "6.6 us".
func Time(v float64) string { return scaled(v, "s") }

// Energy formats joules.
func Energy(v float64) string { return scaled(v, "J") }

// Frequency formats hertz, such as "100 MHz".
func Frequency(v float64) string { return scaled(v, "Hz") }

// Percent formats a fraction as a percentage, such as "48.2 %". Values below 1e-12, the rounding error of sums of
// fractions, become "0 %".
func Percent(v float64) string {
	const rounding = 1e-12
	if bad := unprintable(v); bad != "" {
		return bad
	}
	if math.Abs(v) < rounding {
		return "0 %"
	}
	return digits(v*100, significant) + " %"
}

// maxPercent is the relative change above which a factor is easier to read than a percentage.
const maxPercent = 10

// Change formats a relative change or error with three significant digits, such as "+12.3 %", "+250 %" or "-0.25 %".
// The resolution is a hundredth of a percent, and smaller changes become "0 %". Above 1000 %, it returns the factor,
// such as "401 times".
func Change(v float64) string {
	switch bad := unprintable(v); {
	case bad != "":
		return bad
	case v > maxPercent:
		return Factor(v) + " times"
	}
	s := Share(v)
	if v > 0 && s != "0" {
		s = "+" + s
	}
	return s + " %"
}

// Error formats a relative error (predicted - measured) / measured in the same way as Change, but always in percent,
// such as "+40000 %".
func Error(v float64) string {
	if v > maxPercent && unprintable(v) == "" {
		return "+" + digits(100*v, significant) + " %"
	}
	return Change(v)
}

// Share formats a fraction in percent with the digits of Change, without a plus sign and without the unit.
func Share(v float64) string {
	const finest, coarse = 1e-4, 0.1 // from coarse on, the significant digits are coarser than finest
	if math.Abs(v) < coarse {
		v = finest * math.Round(v/finest)
	}
	return digits(100*v, significant)
}

// signed formats a number with its sign. A zero that results from rounding is +0.
func signed(v float64, decimals int) string {
	s := fmt.Sprintf("%+.*f", decimals, v)
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:]
	}
	return s
}

// Points formats the difference of two fractions in percentage points, such as "+1.2 points".
func Points(v float64) string { return signed(100*v, 1) + " points" }

// Factor formats a relative change as a factor, such as "401" for a change of 400.
func Factor(v float64) string { return digits(1+v, significant) }

// Count formats a number of items with an SI prefix and no unit, such as "2.5 M".
func Count(v float64) string { return strings.TrimSuffix(scaled(v, ""), " ") }

// scaled formats a value with a suitable prefix.
func scaled(v float64, unit string) string {
	if bad := unprintable(v); bad != "" {
		return bad
	}
	s := ScaleFor(unit, v)
	return s.Format(v) + " " + s.Unit()
}

// unprintable returns the word for an infinite number or NaN, and "" for other numbers.
func unprintable(v float64) string {
	switch {
	case math.IsNaN(v):
		return "unknown"
	case math.IsInf(v, 1):
		return "unlimited"
	case math.IsInf(v, -1):
		return "-unlimited"
	}
	return ""
}

// Scale is a common unit prefix for the numbers of a column. The zero value prints plain numbers.
type Scale struct {
	unit, prefix string
	factor       float64 // value of the prefix; 0 for 1
}

// ScaleFor returns the scale for the largest value. unit is B/s, B, s, J, Hz or empty. Seconds and joules have prefixes
// below 1, such as m, and other units have prefixes above 1, such as M.
func ScaleFor(unit string, values ...float64) Scale {
	largest := 0.0
	for _, v := range values {
		if a := math.Abs(v); !math.IsInf(a, 0) && a > largest {
			largest = a
		}
	}
	one := Scale{unit: unit, factor: 1}
	if largest == 0 {
		return one
	}
	steps := [...]Scale{{unit, "T", 1e12}, {unit, "G", 1e9}, {unit, "M", 1e6}, {unit, "k", 1e3}, one}
	if unit == "s" || unit == "s/B" || unit == "J" {
		steps = [...]Scale{one, {unit, "m", 1e-3}, {unit, "u", 1e-6}, {unit, "n", 1e-9}, {unit, "p", 1e-12}}
	}
	for _, step := range steps {
		// A value that rounds to 1 with three digits reaches the prefix.
		if largest >= step.factor*(1-5e-4) {
			return step
		}
	}
	return steps[len(steps)-1]
}

// Unit returns the unit with its prefix, such as "MB/s".
func (s Scale) Unit() string { return s.prefix + s.unit }

// Of returns a value in units of the scale.
func (s Scale) Of(v float64) float64 {
	if s.factor == 0 {
		return v
	}
	return v / s.factor
}

// Heading returns a column heading with its unit, such as "throughput (MB/s)".
func (s Scale) Heading(name string) string {
	if s.Unit() == "" {
		return name
	}
	return name + " (" + s.Unit() + ")"
}

// Format formats a value in the scale, without its unit. It also rounds values far above the scale to three digits.
func (s Scale) Format(v float64) string {
	if bad := unprintable(v); bad != "" {
		return bad
	}
	if s.factor != 0 {
		v /= s.factor
		if math.Abs(v) >= 1e4 {
			v = Rounded(v, significant, math.Round)
		}
	}
	return digits(v, significant)
}

// exponents shortens exponents of one digit, such as 1e-07 to 1e-7.
var exponents = strings.NewReplacer("e-0", "e-", "e+0", "e+")

// Digits formats a number with at most n significant digits, and with all digits before the point.
func Digits(v float64, n int) string {
	if bad := unprintable(v); bad != "" {
		return bad
	}
	return digits(v, n)
}

// digits formats a number with n significant digits, without trailing zeros and, if possible, without an exponent.
func digits(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	a := math.Abs(v)
	if a >= 1e9 || a < 1e-4 {
		return exponents.Replace(strconv.FormatFloat(v, 'g', n, 64))
	}
	decimals := n - 1 - int(math.Floor(math.Log10(a)))
	if decimals <= 0 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Counted formats a number with a noun, such as "2 links". one is the noun after 1, and many is the noun after other
// numbers.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Elements formats a number of elements, such as "1 element" or "2 elements".
func Elements[T int | int64 | uint64 | float64](n T) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprint(n) + " elements"
}

// Shown returns the number of items to show from a list of length all, usually at most maximum. It never omits a single
// item, because the line with the number of omitted items would be as long.
func Shown(all, maximum int) int {
	if all <= maximum+1 {
		return all
	}
	return maximum
}

// First returns the first n names and the number of the other names, formatted with rest, such as "%d more". It returns
// all names if only one name would be omitted.
func First(names []string, n int, rest string) []string {
	n = Shown(len(names), n)
	if n == len(names) {
		return names
	}
	return append(slices.Clone(names[:n]), fmt.Sprintf(rest, len(names)-n))
}

// Some joins names with commas. If there are more than maximum names, Some returns the first maximum-1 names and the
// number of the other names.
func Some(names []string, maximum int) string {
	if len(names) <= maximum {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maximum-1], ", "), len(names)-maximum+1)
}
