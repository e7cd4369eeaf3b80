package profile

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Reference describes the speed of the machine during the measurement of kernels. It contains the times of the probes
// that alternated with the kernels on their processors.
type Reference struct {
	Windows int     `json:"windows"` // number of adjacent windows of kernels
	Runs    int     `json:"runs"`    // number of runs with these windows; 0 in profiles of earlier versions
	Probes  []Probe `json:"probes"`
	// Repeatability is the repeatability of the machine, as a fraction. It is half the range of 95 % of the runs' mean
	// slowdowns over all probes. [Reference.Repeats] reports whether there are enough runs for this value.
	Repeatability float64 `json:"repeatability"`
	// Distance is the distance of the two cores; nil if kernels used only one core.
	Distance *Distance `json:"distance,omitempty"`
}

// Repeats returns the repeatability of the machine, and reports whether it is known. Fewer than [FewestWindows] runs
// are not sufficient.
func (r *Reference) Repeats() (part float64, ok bool) {
	if r == nil || r.Runs > 0 && r.Runs < FewestWindows {
		return 0, false
	}
	return r.Repeatability, true
}

// Distance describes the transfer time between the cores that exchanged data. The time varies, because the host of a
// virtual machine may move its processors.
type Distance struct {
	Windows int     `json:"windows"` // number of adjacent windows of kernels
	Good    float64 `json:"good"`    // undisturbed transfer time of a cache line between cores in s: the lower mode
	// FarApart is the median transfer time in s while the cores were far apart; 0 if the cores were never far apart.
	FarApart    float64 `json:"farApart,omitempty"`
	Undisturbed float64 `json:"undisturbed"` // fraction of windows in which the distance was approximately undisturbed
}

// nearly is the upper limit of near distances, and twice is the lower limit of far distances. Both are relative to the
// undisturbed distance.
const (
	nearly = 1.5
	twice  = 2
)

// Near reports whether a distance in s is approximately the undisturbed distance.
func (d *Distance) Near(at float64) bool { return at <= nearly*d.Good }

// Far reports whether cores at a distance in s are far apart.
func (d *Distance) Far(at float64) bool { return at >= twice*d.Good }

// Part returns the relative position of a distance between the undisturbed distance (0) and far apart (1). It returns 0
// if the cores were never far apart.
func (d *Distance) Part(at float64) float64 {
	if d == nil || !(d.FarApart > d.Good) || !(at > d.Good) {
		return 0
	}
	return min((at-d.Good)/(d.FarApart-d.Good), farthest)
}

// farthest limits the result of Part, because no larger distance was measured.
const farthest = 2

// Probe is one of the fixed pieces of work of a [Reference].
type Probe struct {
	Name   string  `json:"name"`   // the part of the processor that the probe loads
	Good   float64 `json:"good"`   // undisturbed time in s: the lower mode
	Spread float64 `json:"spread"` // half the range of 95 % of the runs, as a fraction
	// Undisturbed is the fraction of adjacent windows in which the probe was at most 5 % slower than undisturbed.
	Undisturbed float64 `json:"undisturbed"`
}

// Undisturbed describes how a kernel's undisturbed cost was estimated.
type Undisturbed struct {
	Windows   int `json:"windows"`             // number of windows that determine the service rate
	Good      int `json:"good"`                // number of undisturbed windows; the other windows were corrected
	Preempted int `json:"preempted,omitempty"` // number of windows dropped because another process used the processor
	// Sensitivity contains, by probe, the increase of the cost's logarithm per increase of the logarithm of the probe's
	// time. It is approximately the fraction of the kernel's time with work like the work of the probe. The chain
	// measures the clock. The speed of a kernel that works within its core is proportional to the clock, so its
	// sensitivity to the chain is 1 minus the sum of its other sensitivities. A kernel that waits for memory has a
	// lower sensitivity to the chain. Probes with no effect or an uncertain effect are absent.
	Sensitivity map[string]float64 `json:"sensitivity,omitempty"`
	// Unknown lists the probes whose effect on the cost is unknown, because their times never changed during the
	// measurement.
	Unknown []string `json:"unknown,omitempty"`
}

// Extrapolated reports whether all windows were disturbed. The service rate is then an extrapolation.
func (g *Undisturbed) Extrapolated() bool { return g != nil && g.Windows > 0 && g.Good == 0 }

func (r *Reference) validate() []error {
	if r == nil {
		return nil
	}
	var errs []error
	part := func(path string, x float64) {
		if !(x >= 0) || math.IsInf(x, 0) {
			errs = append(errs, fmt.Errorf("%s is %g, expected a finite value of at least 0", path, x))
		}
	}
	part("reference.repeatability", r.Repeatability)
	if d := r.Distance; d != nil {
		part("reference.distance.good", d.Good)
		part("reference.distance.farApart", d.FarApart)
		part("reference.distance.undisturbed", d.Undisturbed)
	}
	for i, f := range r.Probes {
		path := fmt.Sprintf("reference.probes[%d]", i)
		part(path+".good", f.Good)
		part(path+".spread", f.Spread)
		part(path+".undisturbed", f.Undisturbed)
		if f.Undisturbed > 1 {
			errs = append(errs, fmt.Errorf("%s.undisturbed is %g, expected at most 1", path, f.Undisturbed))
		}
	}
	return errs
}

func (g *Undisturbed) validate(path string) []error {
	if g == nil {
		return nil
	}
	var errs []error
	if g.Good < 0 || g.Good > g.Windows || g.Preempted < 0 {
		errs = append(errs, fmt.Errorf("%s has %d undisturbed windows (expected 0 to %d) and %d preempted windows "+
			"(expected at least 0)", path, g.Good, g.Windows, g.Preempted))
	}
	for _, probe := range slices.Sorted(maps.Keys(g.Sensitivity)) {
		const maximum = 100 // limit for the sensitivity of a cost to a probe
		if b := g.Sensitivity[probe]; !(math.Abs(b) <= maximum) {
			errs = append(errs, fmt.Errorf("%s.sensitivity.%s is %g, expected -%d to %d", path, probe, b, maximum,
				maximum))
		}
	}
	return errs
}
