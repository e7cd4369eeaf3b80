// Package sweep searches for the best mapping at each point of a parameter sweep over configs and resource counts.
//
// The caller provides the varied settings and a function that loads a design. For each point, Answer searches for the
// best mapping, and Add adds the result to the sweep. Campaigns compute each point as a separate sweep, and join the
// results with Join.
package sweep

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/faults"
	"xopt/mapper/result"
)

// Sweep is a parameter sweep with its completed points.
type Sweep struct {
	Varied []Varied
	Given  []string       // settings of all points, NAME=VALUE, before the varied settings
	Search mapper.Options // options of the search at each point; MaxTime is ignored
	Policy copies.Policy
	// BufferSeed is the seed of the simulations that compare mappings with and without copies, including their buffers.
	BufferSeed uint64
	// Deadline is the time at which the sweep ends; zero for no limit. The remaining points share the remaining time
	// equally.
	Deadline time.Time
	// Now is the clock; nil for [time.Now].
	Now func() time.Time
	// Load returns the design with the given settings, or [ErrNoResource].
	Load func(ctx context.Context, set []string) (*design.Design, error)
	// Format formats a candidate's value of an objective other than throughput.
	Format func(c *result.Candidate, objective string) string
	Done   result.Sweep // Points contains the completed points, in order

	begun    time.Time     // start of loading the current point
	granted  time.Duration // time for the search of the current point; 0 before the search
	overhead time.Duration // longest time of a point, excluding its search time
}

// ErrNoResource is the error of Load for settings that leave no resource. A point with these settings has no mapping.
var ErrNoResource = faults.NoResourceLeft.Errorf("the parameter values of this point remove every resource")

// Points returns the number of points. If there are more than [MaxPoints], it returns some number above MaxPoints.
func (s *Sweep) Points() int {
	all := 1
	for j := range s.Varied {
		if all *= len(s.Varied[j].Values); all > MaxPoints {
			break
		}
	}
	return all
}

// Values returns the values of a point. The last setting varies fastest.
func (s *Sweep) Values(i int) []string {
	values := make([]string, len(s.Varied))
	for j := len(s.Varied) - 1; j >= 0; j-- {
		v := &s.Varied[j]
		values[j] = v.Values[i%len(v.Values)]
		i /= len(v.Values)
	}
	return values
}

// Label returns the values of a point as text: NAME=VALUE, separated by commas.
func (s *Sweep) Label(i int) string {
	parts := s.Values(i)
	for j := range parts {
		parts[j] = s.Varied[j].Name + "=" + parts[j]
	}
	return strings.Join(parts, ", ")
}

// Settings returns all settings of a point, as NAME=VALUE.
func (s *Sweep) Settings(i int) []string {
	set := slices.Clone(s.Given)
	for j, value := range s.Values(i) {
		set = append(set, s.Varied[j].Name+"="+value+s.Varied[j].Unit)
	}
	return set
}

// Design loads the design of a point, and starts the time of the point.
func (s *Sweep) Design(ctx context.Context, i int) (*design.Design, error) {
	s.measure()
	s.begun, s.granted = s.now(), 0
	d, err := s.Load(ctx, s.Settings(i))
	s.overhead = max(s.overhead, s.now().Sub(s.begun))
	return d, err
}

func (s *Sweep) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// measure updates overhead from the time of the previous point.
func (s *Sweep) measure() {
	if s.granted > 0 {
		s.overhead = max(s.overhead, s.now().Sub(s.begun)-s.granted)
		s.granted = 0
	}
}

// grant returns the time for the search of a point: an equal share of the remaining time, minus the overhead of each
// point.
func (s *Sweep) grant(i int) time.Duration {
	if s.begun.IsZero() {
		s.begun = s.now()
	}
	s.granted = max(minTime, s.Deadline.Sub(s.begun)/time.Duration(max(1, s.Points()-i))-s.overhead)
	return s.granted
}

// checkPart limits the time of [Sweep.Check] to 1/checkPart of the remaining time.
const checkPart = 4

// maxChecked is the maximum number of values of one setting that [Sweep.Check] loads. In longer lists, Check loads the
// first values and the last value.
const maxChecked = 50

// Check finds invalid values before the search, and returns the first error. It loads the design with each value of a
// list, and with the ends of a range. If there is a deadline, it stops after a fraction of the remaining time, but
// checks at least one value.
func (s *Sweep) Check(ctx context.Context) error {
	after := s.Points() // consecutive points with the same value
	deadline := s.now().Add(s.Deadline.Sub(s.now()) / checkPart)
	checked := false
	for j := range s.Varied {
		v := &s.Varied[j]
		after /= len(v.Values)
		for n := range v.Values {
			last := n == len(v.Values)-1
			if j > 0 && n == 0 || v.ranged && n > 0 && !last || n >= maxChecked && !last {
				continue
			}
			if !s.Deadline.IsZero() && checked && !s.now().Add(s.overhead).Before(deadline) {
				return nil
			}
			checked = true
			if _, err := s.Design(ctx, n*after); err != nil && !errors.Is(err, ErrNoResource) {
				return err
			}
		}
	}
	return nil
}

// Result returns the completed points for a result file.
func (s *Sweep) Result() *result.Sweep {
	r := s.Done
	r.Buffers = "unlimited"
	if o := s.Search.Goal.First(); o != mapper.Throughput {
		r.Objective = o.String()
	}
	for _, v := range s.Varied {
		r.Varied = append(r.Varied, result.Varied{Name: v.Name, Unit: v.Unit, Values: v.Values})
	}
	return &r
}

// Late reports whether the remaining time does not suffice for another point.
func (s *Sweep) Late() bool {
	s.measure()
	return !s.Deadline.IsZero() && !s.now().Add(s.overhead).Before(s.Deadline)
}

// minTime is the minimum search time of a point.
const minTime = time.Millisecond
