package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"xopt/mapper"
)

// The checks of options get the value, and return what was wanted.

// wants is the error of a value that should have been something else.
func wants(text string, args ...any) error { return &wantError{want: fmt.Sprintf(text, args...)} }

// between checks that a value is within bounds.
func between[T cmp.Ordered](low, high T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low || v > high {
			return wants("%v to %v", low, high)
		}
		return nil
	}
}

// atLeastValue checks that a value is not below a bound.
func atLeastValue[T cmp.Ordered](low T) func(any) error {
	return func(now any) error {
		if v, ok := now.(T); !ok || v < low {
			return wants("%v or more", low)
		}
		return nil
	}
}

// timeOrNone checks that a time is 0, which stands for a default or no limit, or long enough.
func timeOrNone(low time.Duration) func(any) error {
	return func(now any) error {
		v, ok := now.(time.Duration)
		switch {
		case ok && (v == 0 || v > 0 && v >= low):
			return nil
		case low > 0:
			return wants("0, or %v or more", low)
		}
		return wants("0 or more")
	}
}

// aboveZero checks that a time is more than 0.
func aboveZero(now any) error {
	if v, ok := now.(time.Duration); !ok || v <= 0 {
		return wants("more than 0")
	}
	return nil
}

// utilization checks a bound on utilizations.
func utilization(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v <= 1) {
		return wants("a value in (0, 1]")
	}
	return nil
}

// fraction checks a part of a whole.
func fraction(now any) error {
	if v, ok := now.(float64); !ok || !(v > 0 && v < 1) {
		return wants("a value between 0 and 1")
	}
	return nil
}

// objectives checks --objective.
func objectives(now any) error {
	_, err := mapper.ParseObjectives(now.(string))
	return err
}

// assignments checks that a list is of NAME=VALUE.
func assignments(now any) error {
	for _, x := range now.([]string) {
		if name, _, ok := strings.Cut(x, "="); !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("%s: want NAME.config=VALUE, such as PCI.bandwidth=10MB/s, or RESOURCE=NUMBER, such as "+
				"fpga=2", x)
		}
	}
	return nil
}
