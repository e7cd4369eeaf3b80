package run

import (
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/mapper/result"
)

// TestEnoughElements: runs that are too short are repeated with more elements, at most
// twice, and one sentence counts them.
func TestEnoughElements(t *testing.T) {
	for _, short := range []int{0, 1, 2, 5} {
		runs := 0
		var o program.Options
		text, err := Enough(&o, Options{}, true, func(Options) (*Measurement, error) {
			m := &Measurement{}
			m.Steady = &result.SteadyPart{}
			if runs++; runs <= short {
				m.Steady.Short, m.Steady.Enough = "others ran", o.Elements+1000
			}
			return m, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		again := min(short, moreAttempts)
		if runs != 1+again || o.Elements != uint64(1000*again) || strings.Count(text, "others ran") != min(again, 1) {
			t.Errorf("%d short runs: %d runs with %d elements: %s", short, runs, o.Elements, text)
		}
	}
}
