package trace

import (
	"bytes"
	"math"
	"strconv"

	"xopt/internal/safetext"
)

// lateSeconds is how late a first event may be: behind it, times are those of a clock, such as since 1970,
// and count from a minute before it.
const (
	lateSeconds = 1_000_000
	headRoom    = 60
)

// time reads a time, exactly where it is a decimal number.
func (r *csvReader) time(text []byte) (int64, error) {
	seconds, ps, ok := decimal(bytes.TrimSpace(text), r.perSecond)
	if !ok {
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
		x /= float64(r.perSecond)
		if err != nil || !(x >= 0) || x > math.MaxInt64/2 {
			return 0, r.wrong("the time %q is not a number of at least 0", safetext.Cut(string(text), 40))
		}
		whole := math.Floor(x)
		seconds, ps = int64(whole), int64(math.Round((x-whole)*PerSecond))
	}
	if r.base < 0 {
		r.base = 0
		if seconds > lateSeconds {
			r.base = seconds - headRoom
		}
	}
	if seconds < r.base {
		return 0, r.wrong("the time %q is more than %d s before that of the first event: sort the rows by time",
			safetext.Cut(string(text), 40), headRoom)
	}
	if seconds-r.base >= Longest {
		return 0, r.wrong("the time %q is more than %d s behind the first: a trace is of %d days at the most",
			safetext.Cut(string(text), 40), int64(Longest), int64(Longest/86400))
	}
	return (seconds-r.base)*PerSecond + ps, nil
}

// decimal reads a number without an exponent of units that a second has so many of, as seconds and ps. What is
// below a ps is rounded off.
func decimal(text []byte, perSecond int64) (seconds, ps int64, ok bool) {
	const digits = 18
	whole, fraction, point := uint64(0), uint64(0), false
	scale := uint64(1) // of the fraction
	for _, c := range text {
		switch {
		case c == '.' && !point:
			point = true
		case c < '0' || c > '9':
			return 0, 0, false
		case !point:
			if whole > math.MaxInt64/10-10 {
				return 0, 0, false
			}
			whole = 10*whole + uint64(c-'0')
		case scale < 1e12:
			fraction = 10*fraction + uint64(c-'0')
			scale *= 10
		}
	}
	if len(text) == 0 || len(text) == 1 && point || len(text) > 2*digits {
		return 0, 0, false
	}
	unit := uint64(PerSecond / perSecond) // ps
	seconds = int64(whole / uint64(perSecond))
	ps = int64(whole % uint64(perSecond) * unit)
	if scale > unit {
		fraction /= scale / unit
		scale = unit
	}
	return seconds, ps + int64(fraction*(unit/scale)), true
}
