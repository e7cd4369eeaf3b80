package options

import (
	"cmp"
	"fmt"
	"time"
)

// Wants returns the error of a failed check, with a description of the valid values.
func Wants(text string, args ...any) error { return &wantError{want: fmt.Sprintf(text, args...)} }

// Between returns a check that a value lies between two bounds.
func Between[T cmp.Ordered](low, high T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low || v > high {
			return Wants("%v to %v", low, high)
		}
		return nil
	}
}

// AtLeast returns a check that a value is at least a bound.
func AtLeast[T cmp.Ordered](low T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low {
			return Wants("%v or more", low)
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
			return Wants("0, or %v or more", low)
		}
		return Wants("0 or more")
	}
}

// Positive checks that a time is positive.
func Positive(now any) error {
	if v, ok := now.(time.Duration); !ok || v <= 0 {
		return Wants("more than 0")
	}
	return nil
}

// Utilization checks that a value is in (0, 1].
func Utilization(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v <= 1) {
		return Wants("a value in (0, 1]")
	}
	return nil
}

// Fraction checks that a value is in (0, 1), exclusive.
func Fraction(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v < 1) {
		return Wants("a value between 0 and 1")
	}
	return nil
}
