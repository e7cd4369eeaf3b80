package trace

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"xopt/internal/safetext"
)

// lateSeconds is the maximum time of the first row, in seconds, if times are relative to the start of the run. Later
// times are clock times, such as seconds since 1970. The reader then subtracts the time of the earliest event, which
// may precede the first row by up to headRoom seconds.
const (
	lateSeconds = 1_000_000
	headRoom    = 60
)

// time parses a decimal time exactly, with or without an exponent.
func (r *csvReader) time(text []byte) (int64, error) {
	seconds, ps, ok := decimal(bytes.TrimSpace(text), r.perSecond)
	if !ok {
		return 0, r.noTime(text)
	}
	if r.base < 0 {
		r.base = 0
		if seconds > lateSeconds {
			r.base = seconds - headRoom
		}
	}
	if seconds < r.base {
		return 0, r.wrongIn(timeColumn, "the time %s is more than %d s before the time of the first row: sort the "+
			"rows by time",
			safetext.Cut(string(text), 40), headRoom)
	}
	if seconds-r.base >= Longest {
		return 0, r.wrongIn(timeColumn, "the time %s is more than %d s after the time of the first row: a trace "+
			"covers at most %d days",
			safetext.Cut(string(text), 40), int64(Longest), int64(Longest/86400))
	}
	return (seconds-r.base)*PerSecond + ps, nil
}

// noTime returns an error that explains why a text is not a time.
func (r *csvReader) noTime(text []byte) error {
	x, failed := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	shown, point := safetext.Cut(string(text), 40), bytes.Replace(bytes.TrimSpace(text), []byte(","), []byte("."), 1)
	switch _, err := strconv.ParseFloat(string(point), 64); {
	case x < 0:
		return r.wrongIn(timeColumn, "%s is negative: a time must be at least 0", shown)
	case x > 1 && (failed == nil || math.IsInf(x, 1)) && !bytes.ContainsAny(text, "xX_"):
		return r.wrongIn(timeColumn, "%s is too late: a trace covers at most %d days", shown, int64(Longest/86400))
	case err == nil && bytes.IndexByte(text, ',') >= 0:
		return r.wrongIn(timeColumn, "%q has a decimal comma: write %s", shown, safetext.Cut(string(point), 40))
	}
	return r.wrongIn(timeColumn, "%q is not a number%s", shown, r.moreFields())
}

// The numbers of digits that decimal stores, enough for the ps of the latest valid time, 10^18 s.
const (
	secondDigits = 18
	psDigits     = 12
	keptDigits   = secondDigits + psDigits + 2
)

// decimal parses a number of units as seconds and ps, with perSecond units per second. It works digit by digit, because
// an intermediate float64 would round. Fractions of a ps are rounded. ok is false if the text is not a decimal number,
// is negative, or is at least 10^18 s.
func decimal(text []byte, perSecond int64) (seconds, ps int64, ok bool) {
	if len(text) > 1 && text[0] == '+' {
		text = text[1:]
	}
	var kept [keptDigits]byte
	n, point := 0, 0 // number of stored digits, and position of the decimal point
	digits, behind := false, false
	i := 0
	for ; i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.' && !behind); i++ {
		switch c := text[i]; {
		case c == '.':
			behind = true
			continue
		case n == 0 && c == '0':
			if behind {
				point--
			}
		default:
			if n < keptDigits {
				kept[n] = c - '0'
				n++
			}
			if !behind {
				point++
			}
		}
		digits = true
	}
	if !digits {
		return 0, 0, false
	}
	exponent, ok := exponentOf(text[i:])
	if !ok || n == 0 {
		return 0, 0, ok // 0 with any exponent
	}
	for ; perSecond < PerSecond; perSecond *= 10 {
		point++
	}
	if point += exponent; point > secondDigits+psDigits {
		return 0, 0, false
	}
	for i := range max(point, 0) {
		digit := int64(0)
		if i < n {
			digit = int64(kept[i])
		}
		if i < point-psDigits {
			seconds = 10*seconds + digit
		} else {
			ps = 10*ps + digit
		}
	}
	if point >= 0 && point < n && kept[point] >= 5 {
		ps++
	}
	if ps == PerSecond {
		seconds, ps = seconds+1, 0
	}
	return seconds, ps, true
}

// exponentOf parses the part after the digits of a number: empty, or e, an optional sign, and digits. ok is false for
// any other text.
func exponentOf(text []byte) (exponent int, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	exponent, err := strconv.Atoi(string(text[1:]))
	if errors.Is(err, strconv.ErrRange) || err == nil && max(exponent, -exponent) > maxExponent {
		if exponent < 0 {
			return -maxExponent, true
		}
		return maxExponent, true
	}
	return exponent, err == nil
}

// maxExponent is the maximum exponent. A time with a larger exponent is too late or 0.
const maxExponent = 1 << 20
