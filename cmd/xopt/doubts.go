package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"xopt/cmd/faults"
	"xopt/flow/design"
	"xopt/internal/units"
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
		key := a.toldAs(text)
		if !a.told[key] {
			a.told[key] = true
			a.note("%s", text)
		}
	}
}

// toldAs is what a remark is known by once it is written: in a sweep, without its numbers.
func (a *app) toldAs(text string) string {
	if len(a.setBy) == 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
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
		a.noteID(faults.ProfileDisturbed, "warning: the machine was disturbed when %s was measured: %s; calibrate "+
			"again when it is quiet", profile, d.Disturbed)
	}
	cure := "; measure them again with: " + d.MeasureCommand()
	if a.settings.Fresh { // the error tells it
		cure = ""
	}
	a.noteList(d.Stale, fmt.Sprintf("warning: stale figures of %s%s", profile, cure))
	a.noteList(d.Unchecked, fmt.Sprintf("note: figures of %s that cannot be compared with the sources%s", profile,
		cure))
	end := ", and is not placed there; with --allow-mismatch it is"
	if a.settings.AllowMismatch {
		end = ""
	}
	a.noteList(d.Mismatched, "warning: kernels whose output differs from that on a core"+end)
	if n := len(d.Stale) + len(d.Unchecked); n > 0 && a.settings.Fresh {
		return faults.StaleFigures.Usagef("%s is refused by --fresh: figures of %s are stale or cannot be "+
			"checked; measure them again with: %s", profile, units.Counted(n, "kernel", "kernels"), d.MeasureCommand())
	}
	return nil
}

// noteList says those that have not been named yet, under a title. Kernels with the same
// reason stand together.
func (a *app) noteList(list []design.Doubt, title string) {
	var order []string
	kernels := make(map[string][]string)
	var now []string // told of together: in a sweep, resources that differ in their number are known by one name
	for _, x := range list {
		x.Resources = slices.DeleteFunc(slices.Clone(x.Resources), func(r string) bool { // each once
			key := title[:5] + a.toldAs(x.Kernel+" on "+r+": "+x.Why)
			told := a.told[key]
			now = append(now, key)
			return told
		})
		if len(x.Resources) > 0 {
			if kernels[x.Why] == nil {
				order = append(order, x.Why)
			}
			kernels[x.Why] = append(kernels[x.Why], x.Where())
		}
	}
	for _, key := range now {
		a.told[key] = true
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
