package trace

import (
	"bytes"
	"math"
	"strconv"

	"xopt/internal/safetext"
)

// lateSeconds is how late the first row may be: behind it, times are those of a clock, such as since 1970, and count
// from the first event of all, which may be up to headRoom before that row.
const (
	lateSeconds = 1_000_000
	headRoom    = 60
)

// time reads a time, exactly where it is a decimal number.
func (r *csvReader) time(text []byte) (int64, error) {
	seconds, ps, ok := decimal(bytes.TrimSpace(text), r.perSecond)
	if !ok {
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
		if x /= float64(r.perSecond); err != nil || !(x >= 0) || x > math.MaxInt64/2 {
			return 0, r.noTime(text, x)
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
		return 0, r.wrongIn(timeColumn, "%s is more than %d s before that of the first row: sort the rows by time",
			safetext.Cut(string(text), 40), headRoom)
	}
	if seconds-r.base >= Longest {
		return 0, r.wrongIn(timeColumn, "%s is more than %d s behind the first: a trace is of %d days at the most",
			safetext.Cut(string(text), 40), int64(Longest), int64(Longest/86400))
	}
	return (seconds-r.base)*PerSecond + ps, nil
}

// noTime says why a text is no time; x is what it reads as, in seconds.
func (r *csvReader) noTime(text []byte, x float64) error {
	shown, point := safetext.Cut(string(text), 40), bytes.Replace(bytes.TrimSpace(text), []byte(","), []byte("."), 1)
	switch _, err := strconv.ParseFloat(string(point), 64); {
	case x < 0:
		return r.wrongIn(timeColumn, "%s is negative, and times are at least 0", shown)
	case x > math.MaxInt64/2:
		return r.wrongIn(timeColumn, "%s is too late: a trace is of %d days at the most", shown, int64(Longest/86400))
	case err == nil && bytes.IndexByte(text, ',') >= 0:
		return r.wrongIn(timeColumn, "%q has a decimal comma: write %s", shown, safetext.Cut(string(point), 40))
	}
	return r.wrongIn(timeColumn, "%q is not a number%s", shown, r.moreFields())
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
