package run

import (
	"fmt"
	"time"

	"xopt/deploy/program"
	"xopt/internal/units"
)

const (
	moreAttempts   = 2 // maximum number of repetitions with more elements
	attemptTimeout = 30 * time.Second
)

// Enough runs a program. If repeatable is set and a run is too short to report a throughput, it repeats the run with
// more elements. It stores the number of elements in o and returns a sentence about the repetitions; "" for none.
func Enough(o *program.Options, limits Options, repeatable bool, once func(Options) (*Measurement, error)) (string,
	error) {
	m, err := once(limits)
	why, again := "", 0
	for ; again < moreAttempts && repeatable && err == nil; again++ {
		s := m.Steady
		if m.Virtual || m.Failure != nil || s == nil || s.Enough == 0 {
			break
		}
		why = s.Short
		o.Elements, limits.Time = s.Enough, attemptTimeout
		m, err = once(limits)
	}
	if again == 0 {
		return "", err
	}
	return fmt.Sprintf("xopt repeated the run %s, with %d elements from each source (--elements): %s",
		units.Counted(again, "time", "times"), o.Elements, why), err
}
