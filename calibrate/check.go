package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/calibrate/faults"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// Verdict is the result of the comparison of a service rate in a profile with a new measurement.
type Verdict string

// The verdicts. A rate is uncertain if one of the two measurements has no interval, or if the intervals are too wide to
// confirm the rate. A change within the machine's repeatability, or outside the intervals, needs no narrow intervals.
const (
	RateHolds     Verdict = "holds"
	RateChanged   Verdict = "changed"
	RateUncertain Verdict = "undetermined"
)

// Holding compares a service rate in a profile with its new measurement.
type Holding struct {
	Kernel string         `json:"kernel"`
	Old    profile.Figure `json:"profile"` // bytes/s
	New    profile.Figure `json:"now"`
	// Change is new/old - 1.
	Change  float64 `json:"change"`
	Verdict Verdict `json:"verdict"`
	// Reason is the reason for the verdict RateUncertain; "" for other verdicts.
	Reason string `json:"reason,omitempty"`
}

// CheckKernels is the number of kernels that a check measures again.
const CheckKernels = 5

// checkTolerance is the relative change of a service rate, beyond both intervals, up to which the rate counts as
// unchanged. On a shared host, measurements two hours apart differ by this fraction.
const checkTolerance = 0.02

// widestConfirming is the maximum sum of the half-widths of both intervals, relative to the rate, at which overlapping
// intervals confirm the rate.
const widestConfirming = 0.1

// Check measures the CheckKernels kernels with the longest times per byte in a profile again, and compares the rates.
// The strings describe the differences between the machine of the profile and this machine.
func Check(ctx context.Context, d *design.Design, p *profile.Profile, o Options) ([]Holding, []string, *Report,
	error) {
	old := make(map[int]*profile.Figure)
	for i := range p.Kernels {
		k := slices.IndexFunc(d.Program.Kernels, func(x xlang.Kernel) bool { return x.Name == p.Kernels[i].Instance })
		if k >= 0 && p.Kernels[i].ServiceRate != nil &&
			p.Kernels[i].Platform == d.Program.Resources[d.Mapping.Place[k]].Platform {
			old[k] = p.Kernels[i].ServiceRate
		}
	}
	if len(old) == 0 {
		return nil, nil, nil, faults.ProfileWithoutRates.Errorf("the profile has no service rate for any kernel of "+
			"application %s (measure the kernels with xopt calibrate)", d.Program.Top)
	}
	for k := range old {
		o.Only = append(o.Only, k)
	}
	slices.SortFunc(o.Only, func(a, b int) int { // largest time per byte first
		return cmp.Or(cmp.Compare(old[a].Value, old[b].Value), a-b)
	})
	o.Only = o.Only[:min(CheckKernels, len(o.Only))]
	now, report, err := Calibrate(ctx, d, o)
	if err != nil {
		return nil, nil, nil, err
	}
	repeats := -1.0 // so that no change is within the repeatability
	for _, r := range []*profile.Reference{p.Reference, now.Reference} {
		if part, ok := r.Repeats(); ok {
			repeats = max(repeats, part)
		}
	}
	var list []Holding
	for _, k := range slices.Sorted(slices.Values(o.Only)) {
		at := slices.IndexFunc(now.Kernels,
			func(x profile.Kernel) bool { return x.Instance == d.Program.Kernels[k].Name && x.How == "" })
		if at < 0 || now.Kernels[at].ServiceRate == nil {
			continue // skipped because of the time limit
		}
		h := Holding{Kernel: d.Program.Kernels[k].Name, Old: *old[k], New: *now.Kernels[at].ServiceRate}
		h.judge(repeats)
		list = append(list, h)
	}
	return list, differences(p.Machine, now.Machine), report, nil
}

// judge compares the two rates. repeats is the relative repeatability of the machine; negative if unknown.
func (h *Holding) judge(repeats float64) {
	h.Change = h.New.Value/h.Old.Value - 1
	half := func(f *profile.Figure) (part float64, why string) {
		switch part, ok := f.Precision(); {
		case ok && part <= 1:
			return part, ""
		case ok:
			return 0, "has an interval wider than the rate"
		case f.AtLeast:
			return 0, "is only a lower bound"
		}
		return 0, "has no interval"
	}
	old, whyOld := half(&h.Old)
	is, whyNew := half(&h.New)
	if whyOld == "" && whyNew == "" {
		switch change := math.Abs(h.Change); {
		case change > old+is+checkTolerance:
			h.Verdict = RateChanged
		case old+is <= widestConfirming, change <= repeats:
			h.Verdict = RateHolds
		default:
			h.Verdict = RateUncertain
			h.Reason = fmt.Sprintf("the change is within the 95 %% intervals, which are too wide to confirm the rate "+
				"(earlier rate ± %s, new rate ± %s)",
				units.Percent(old), units.Percent(is))
		}
		return
	}
	factor := max(h.New.Value/h.Old.Value, h.Old.Value/h.New.Value)
	switch {
	case math.Abs(h.Change) <= repeats:
		h.Verdict = RateHolds
		return
	case h.Old.AtLeast && whyNew == "" && h.New.Value*(1+is) < h.Old.Value,
		h.New.AtLeast && whyOld == "" && h.Old.Value*(1+old) < h.New.Value,
		!h.Old.AtLeast && !h.New.AtLeast && factor > profile.WidestFactor*(1+old+is):
		h.Verdict = RateChanged
		return
	}
	h.Verdict = RateUncertain
	switch {
	case whyOld == whyNew:
		h.Reason = "each rate " + whyOld
	case whyOld == "":
		h.Reason = "the new rate " + whyNew
	case whyNew == "":
		h.Reason = "the profile's rate " + whyOld
	default:
		h.Reason = "the profile's rate " + whyOld + ", and the new rate " + whyNew
	}
}

// Counts returns the numbers of changed and of uncertain rates.
func Counts(list []Holding) (changed, uncertain int) {
	for i := range list {
		switch list[i].Verdict {
		case RateChanged:
			changed++
		case RateUncertain:
			uncertain++
		}
	}
	return changed, uncertain
}

// differences returns texts with the differences between two machines.
func differences(old, now profile.Machine) []string {
	var out []string
	for _, x := range []struct{ what, old, now string }{
		{"processor", old.CPU, now.CPU}, {"operating system", old.Kernel, now.Kernel}, {"compiler", old.Compiler,
			now.Compiler},
		{"number of cores", fmt.Sprint(old.Cores), fmt.Sprint(now.Cores)},
	} {
		if x.old != x.now {
			out = append(out, fmt.Sprintf("the %s changed from %s to %s", x.what, x.old, x.now))
		}
	}
	return out
}
