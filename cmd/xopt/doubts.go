package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"xopt/internal/design"
)

// maxDoubts is how many doubts of a kind are named one by one.
const maxDoubts = 8

// noteOnce writes remarks to standard error that have not been written yet. A sweep reads the files again for
// every point: there, remarks that differ in numbers alone are told once.
func (a *app) noteOnce(remarks []string) {
	if a.told == nil {
		a.told = make(map[string]bool)
	}
	for _, text := range remarks {
		key := text
		if len(a.setBy) > 0 {
			key = strings.Map(func(r rune) rune {
				if unicode.IsDigit(r) {
					return -1
				}
				return r
			}, text)
		}
		if !a.told[key] {
			a.told[key] = true
			a.note("%s", text)
		}
	}
}

// noteDoubts writes to standard error, once for each, the warnings and notes of a design, which figures of
// the profile are stale,
// cannot be held against the sources, or are of kernels that compute something else. With
// --fresh, what is stale or cannot be checked is refused.
func (a *app) noteDoubts(d *design.Design) error {
	var remarks []string
	for _, w := range d.Warnings {
		remarks = append(remarks, "warning: "+w)
	}
	for _, n := range d.Notes {
		remarks = append(remarks, "note: "+n)
	}
	a.noteOnce(remarks)
	profile := a.settings.Profile
	if d.Disturbed != "" && !a.told["disturbed"] {
		a.told["disturbed"] = true
		a.note("warning: the machine was disturbed when %s was measured: %s; calibrate again when it is quiet", profile,
			d.Disturbed)
	}
	a.noteList(d.Stale, fmt.Sprintf("warning: stale figures of %s; measure them anew with: %s", profile,
		d.MeasureCommand()))
	a.noteList(d.Unchecked, fmt.Sprintf("note: figures of %s that cannot be compared with the sources; measure them "+
		"anew with: %s", profile, d.MeasureCommand()))
	end := ", and is not placed there; with --allow-mismatch it is"
	if a.settings.AllowMismatch {
		end = ""
	}
	a.noteList(d.Mismatched, "warning: what computes something else than on a core"+end)
	if n := len(d.Stale) + len(d.Unchecked); n > 0 && a.settings.Fresh {
		return &usageError{fmt.Errorf("%s is refused by --fresh: figures of %s are stale or cannot be checked; "+
			"measure them anew with: %s", profile, fmt.Sprintf("%d kernels", n), d.MeasureCommand())}
	}
	return nil
}

// noteList says those that have not been named yet, under a title. Kernels with the same
// reason stand together.
func (a *app) noteList(list []design.Doubt, title string) {
	var order []string
	kernels := make(map[string][]string)
	for _, x := range list {
		x.Resources = slices.DeleteFunc(slices.Clone(x.Resources), func(r string) bool { // each once
			key := title[:5] + x.Kernel + " on " + r + ": " + x.Why
			told := a.told[key]
			a.told[key] = true
			return told
		})
		if len(x.Resources) > 0 {
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
		if i == maxDoubts && len(order) > maxDoubts+1 {
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
