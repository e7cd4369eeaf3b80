package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// better returns the better known of what was measured now and before, of the same kernel
// with the same hash; old may be nil. What nothing disturbed is better than what was; then
// the narrower interval is.
func better(now profile.Kernel, old *profile.Kernel) profile.Kernel {
	if old == nil || now.Doubt == "" || strings.Contains(old.Doubt, "disturbed") {
		return now
	}
	was, ok := old.ServiceRate.Precision()
	is, known := now.ServiceRate.Precision()
	if !ok || known && is <= was && !strings.Contains(now.Doubt, "disturbed") {
		return now
	}
	kept := *old
	kept.Source = now.Source
	return kept
}

// unreached are the kernels of an earlier profile that the application still has and that
// nothing was measured of now.
func unreached(p *xlang.Program, earlier *profile.Profile, now []profile.Kernel) []profile.Kernel {
	if earlier == nil {
		return nil
	}
	var list []profile.Kernel
	for _, k := range earlier.Kernels {
		there := slices.ContainsFunc(p.Kernels, func(x xlang.Kernel) bool { return x.Name == k.Instance })
		known := slices.ContainsFunc(now, func(x profile.Kernel) bool {
			return x.Instance == k.Instance && x.Platform == k.Platform && x.Resource == k.Resource
		})
		if there && !known {
			list = append(list, k)
		}
	}
	return list
}

// incomplete says what was left out and why.
func (r *Report) incomplete() string {
	why := "the time ran out"
	if r.Interrupted {
		why = "interrupted"
	}
	if len(r.Missing) == 0 {
		return why
	}
	return fmt.Sprintf("%s; not measured: %s", why, strings.Join(r.Missing, ", "))
}
