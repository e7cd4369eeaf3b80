package main

import (
	"fmt"
	"strings"

	"xopt/internal/design"
)

// mostDoubts is how many doubts of a kind are told one by one.
const mostDoubts = 8

// tellDoubts tells on standard error, once for each, which figures of the profile are stale,
// cannot be held against the sources, or are of kernels that compute something else. With
// --fresh, what is stale or cannot be checked is refused.
func (a *app) tellDoubts(d *design.Design) error {
	if a.told == nil {
		a.told = make(map[string]bool)
	}
	profile := a.settings.Profile
	if d.Disturbed != "" && !a.told["disturbed"] {
		a.told["disturbed"] = true
		a.note("warning: the machine was disturbed when %s was measured: %s; calibrate again when it is quiet", profile,
			d.Disturbed)
	}
	a.tellList(d.Stale, fmt.Sprintf("warning: stale figures of %s; measure them anew with: %s", profile,
		d.MeasureCommand()))
	a.tellList(d.Unchecked, fmt.Sprintf("note: figures of %s that cannot be held against the sources; measure them "+
		"anew with: %s", profile, d.MeasureCommand()))
	end := ", and is not placed there; with --allow-mismatch it is"
	if a.settings.AllowMismatch {
		end = ""
	}
	a.tellList(d.Mismatched, "warning: what computes something else than on a core"+end)
	if n := len(d.Stale) + len(d.Unchecked); n > 0 && a.settings.Fresh {
		return &usageError{fmt.Errorf("%s is refused by --fresh: figures of %s are stale or cannot be checked; "+
			"measure them anew with: %s", profile, fmt.Sprintf("%d kernels", n), d.MeasureCommand())}
	}
	return nil
}

// tellList tells those that have not been told yet, under a title. Kernels with the same
// reason stand together.
func (a *app) tellList(list []design.Doubt, title string) {
	var order []string
	kernels := make(map[string][]string)
	for _, x := range list {
		if key := title[:5] + x.String(); !a.told[key] {
			a.told[key] = true
			if kernels[x.Why] == nil {
				order = append(order, x.Why)
			}
			kernels[x.Why] = append(kernels[x.Why], x.Where())
		}
	}
	if len(order) == 0 {
		return
	}
	a.note("%s", title)
	for i, why := range order {
		if i == mostDoubts && len(order) > mostDoubts+1 {
			a.note("    and for %d more reasons", len(order)-i)
			break
		}
		names := kernels[why]
		const most = 4
		if len(names) > most {
			names = append(names[:most-1:most-1], fmt.Sprintf("%d more", len(names)-most+1))
		}
		a.note("    %s: %s", strings.Join(names, ", "), why)
	}
}
