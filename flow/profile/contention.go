package profile

import (
	"errors"
	"fmt"
	"math"
)

// Contention describes how a kernel and the kernels on other cores of its memory slow each other down. Calibration
// measures the slowdown at levels of pressure on caches and memory, from 0 to 10 (Mars and others, Bubble-Up, MICRO
// 2011).
type Contention struct {
	// Pressure is the level that slows other kernels as much as this kernel does at full speed. Pressure is nil if it
	// does not differ significantly from zero. It is also nil if it was not measured; Unmeasured then contains the
	// reason.
	Pressure *Figure `json:"pressure,omitempty"`
	// Slowdown is the factor on the kernel's execution time by level. It is empty if the factor does not differ
	// significantly from 1.
	Slowdown []Slowdown `json:"slowdown,omitempty"`
	// Unmeasured describes the parts that were not measured, with the reason; "" for none.
	Unmeasured string `json:"untold,omitempty"`
}

// Slowdown is the factor on an execution time at a level of pressure.
type Slowdown struct {
	Level float64 `json:"level"`
	Times Figure  `json:"times"`
}

// Memory describes the measurement of contention on this machine.
type Memory struct {
	// Processors are the processors on which the kernel and the program with the pressure ran during the measurement.
	Processors [2]int `json:"processors"`
	// Shared names the memory that these processors share. Assumed is true if Shared is assumed, because Linux does not
	// report the shared memory.
	Shared  string `json:"shared"`
	Assumed bool   `json:"assumed,omitempty"`
	// Bytes is the size of the working set at level 10.
	Bytes int64 `json:"bytes"`
	// Probe is the slowdown of the probe that measures the pressure of kernels.
	Probe []Slowdown `json:"probe,omitempty"`
	// Unmeasured is the reason why kernels were not measured; "" if they were measured.
	Unmeasured string `json:"untold,omitempty"`
}

// validate checks the values of a kernel's contention.
func (c *Contention) validate(path string, check func(path string, f *Figure, positive bool)) error {
	if c == nil {
		return nil
	}
	check(path+".pressure", c.Pressure, false)
	return validateSlowdowns(path+".slowdown", c.Slowdown, check)
}

// validate checks the values of the memory.
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
			errs = append(errs, fmt.Errorf("%s.level is %g, expected more than the previous level, %g", at, s.Level,
				level))
		}
		if !(s.Times.Value >= times) {
			errs = append(errs, fmt.Errorf("%s.times is %g, expected at least the previous slowdown, %g", at,
				s.Times.Value, times))
		}
		level, times = s.Level, s.Times.Value
	}
	return errors.Join(errs...)
}
