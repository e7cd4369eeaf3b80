package profile

import (
	"errors"
	"fmt"
	"math"
)

// Contention is how a kernel and kernels on other cores of its memory slow each other down, by
// levels of pressure on caches and memory from 0 to 10 (Mars and others, Bubble-Up, MICRO 2011).
type Contention struct {
	// Pressure is the level that slows others as much as the kernel does at its full speed; nil
	// where that cannot be told from none, or, with Untold, was not measured.
	Pressure *Figure `json:"pressure,omitempty"`
	// Slowdown is how many times as long as alone the kernel takes, by level; empty where it
	// cannot be told from 1.
	Slowdown []Slowdown `json:"slowdown,omitempty"`
	// Untold says what of it could not be measured, and why; "" for nothing.
	Untold string `json:"untold,omitempty"`
}

// Slowdown is how many times as long as alone something takes at a level of pressure.
type Slowdown struct {
	Level float64 `json:"level"`
	Times Figure  `json:"times"`
}

// Memory is what the levels of pressure mean here.
type Memory struct {
	// Processors are those that the levels were measured on: of the kernel, and of the pressure.
	Processors [2]int `json:"processors"`
	// Shared is what they share, in words, and Assumed that the machine does not tell.
	Shared  string `json:"shared"`
	Assumed bool   `json:"assumed,omitempty"`
	// Bytes is the working set of level 10.
	Bytes int64 `json:"bytes"`
	// Probe is how many times as long as alone the probe takes by which the pressure of kernels
	// is found.
	Probe []Slowdown `json:"probe,omitempty"`
	// Untold says why kernels were not measured; "" where they were.
	Untold string `json:"untold,omitempty"`
}

// validate reports what cannot be of a kernel's contention.
func (c *Contention) validate(path string, check func(path string, f *Figure, positive bool)) error {
	if c == nil {
		return nil
	}
	check(path+".pressure", c.Pressure, false)
	return validateSlowdowns(path+".slowdown", c.Slowdown, check)
}

// validate reports what cannot be of the memory.
func (m *Memory) validate(check func(path string, f *Figure, positive bool)) error {
	if m == nil {
		return nil
	}
	return validateSlowdowns("memory.probe", m.Probe, check)
}

func validateSlowdowns(path string, list []Slowdown, check func(path string, f *Figure, positive bool)) error {
	var errs []error
	level, times := 0.0, 1.0
	for i := range list {
		s := &list[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		check(at+".times", &s.Times, true)
		if !(s.Level > level) || math.IsInf(s.Level, 1) {
			errs = append(errs, fmt.Errorf("%s.level is %g after %g", at, s.Level, level))
		}
		if !(s.Times.Value >= times) {
			errs = append(errs, fmt.Errorf("%s.times is %g after %g", at, s.Times.Value, times))
		}
		level, times = s.Level, s.Times.Value
	}
	return errors.Join(errs...)
}
