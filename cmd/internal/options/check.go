package options

import (
	"cmp"
	"fmt"
	"time"
)

// Expected returns the error of a failed check, with a description of the valid values.
func Expected(text string, args ...any) error { return &wantError{want: fmt.Sprintf(text, args...)} }

// Between returns a check that a value lies between two bounds.
func Between[T cmp.Ordered](low, high T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low || v > high {
			return Expected("%v to %v", low, high)
		}
		return nil
	}
}

// AtLeast returns a check that a value is at least a bound.
func AtLeast[T cmp.Ordered](low T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low {
			return Expected("%v or more", low)
		}
		return nil
	}
}

// ZeroOrAtLeast returns a check that a time is at least low, or 0 for a default or for no limit.
func ZeroOrAtLeast(low time.Duration) func(any) error {
	return func(now any) error {
		v, ok := now.(time.Duration)
		switch {
		case ok && (v == 0 || v > 0 && v >= low):
			return nil
		case low > 0:
			return Expected("0, or %v or more", low)
		}
		return Expected("0 or more")
	}
}

// Positive checks that a time is positive.
func Positive(now any) error {
	if v, ok := now.(time.Duration); !ok || v <= 0 {
		return Expected("more than 0")
	}
	return nil
}

// Utilization checks that a value is in (0, 1].
func Utilization(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v <= 1) {
		return Expected("a value in (0, 1]")
	}
	return nil
}

// Fraction checks that a value is in (0, 1).
func Fraction(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v < 1) {
		return Expected("a value between 0 and 1")
	}
	return nil
}
