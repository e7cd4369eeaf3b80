package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"xopt/cmd/faults"
	"xopt/flow/design"
	"xopt/internal/units"
)

// namedDoubts is the maximum number of doubts of one kind that are named individually.
const namedDoubts = 8

// Remarked records the remarks that a command has printed. A sweep reads the files again for every point. If remarks
// differ only in their numbers, the sweep prints only the first of these remarks.
type Remarked struct {
	IsSweep bool
	seen    map[string]bool
}

func (k *Remarked) init() {
	if k.seen == nil {
		k.seen = make(map[string]bool)
	}
}

// New returns the remarks that have not been printed yet.
func (k *Remarked) New(remarks []string) (list []string) {
	k.init()
	for _, text := range remarks {
		if key := k.key(text); !k.seen[key] {
			k.seen[key] = true
			list = append(list, text)
		}
	}
	return list
}

// key identifies a remark. In a sweep, the key contains no numbers.
func (k *Remarked) key(text string) string {
	if !k.IsSweep {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}

// ProfileUse is the profile that a command uses. With Fresh, the command rejects stale figures, so remarks name no
// command to measure them. With Full, remarks include the disturbances of the measurements.
type ProfileUse struct {
	Path        string
	Fresh, Full bool
}

// Figures returns the remarks about the figures of a design that have not been printed yet:
//   - the warnings and notes of the design
//   - figures of the profile that are stale, or that cannot be checked against the sources
//   - kernels whose output differs from the output on a core
func (k *Remarked) Figures(d *design.Design, p ProfileUse) (lines []string) {
	cure := "; measure them again with: " + d.MeasureCommand()
	switch {
	case p.Fresh: // the error contains the doubts
		cure = ""
	case d.StaleByPoint:
		cure = ": the sweep uses these figures at all points, although they were measured for one value " +
			"of the config; measure the figures of this point with: " + d.MeasureCommand()
	}
	found := slices.DeleteFunc(slices.Clone(d.Unchecked), func(x design.Doubt) bool { return x.NoSource })
	head := "warning: on these resources, the output of kernels differs from the output on a core"
	if !d.MismatchAllowed {
		head += ", so xopt does not place the kernels there (--allow-mismatch permits it)"
	}
	lines = k.New(remarks(d.Warnings, d.Notes))
	if d.Disturbed != "" && p.Full && len(k.New([]string{"disturbed"})) > 0 {
		lines = append(lines, faults.ProfileDisturbed.Textf("warning: the machine was disturbed while %s was "+
			"measured: %s; calibrate again on a quiet machine", p.Path, d.Disturbed))
	}
	return slices.Concat(lines, k.Doubts(d.Stale, "warning: these figures of "+p.Path+" are stale"+cure),
		k.Doubts(found, "note: these figures of "+p.Path+" cannot be checked against the sources"+cure),
		k.Doubts(d.Mismatched, head))
}

// Doubts returns a title and lines about the doubts that have not been named yet. Kernels with the same reason share a
// line.
func (k *Remarked) Doubts(list []design.Doubt, title string) (lines []string) {
	k.init()
	var order []string
	kernels := make(map[string][]string)
	var now []string // keys of these doubts; in a sweep, resources that differ only in their number share a key
	for _, x := range list {
		x.Resources = slices.DeleteFunc(slices.Clone(x.Resources), func(r string) bool { // remove duplicates
			key := title[:5] + k.key(x.Kernel+" on "+r+": "+x.Why)
			now = append(now, key)
			return k.seen[key]
		})
		if len(x.Resources) > 0 {
			if kernels[x.Why] == nil {
				order = append(order, x.Why)
			}
			kernels[x.Why] = append(kernels[x.Why], x.Where())
		}
	}
	for _, key := range now {
		k.seen[key] = true
	}
	if len(order) == 0 {
		return nil
	}
	lines = append(lines, title)
	for i, why := range order {
		if i == units.Shown(len(order), namedDoubts) {
			lines = append(lines, fmt.Sprintf("    and for %d more reasons", len(order)-i))
			break
		}
		names := kernels[why]
		const maximum = 4
		if len(names) > maximum {
			names = append(names[:maximum-1:maximum-1], fmt.Sprintf("%d more", len(names)-maximum+1))
		}
		lines = append(lines, fmt.Sprintf("    %s: %s", strings.Join(names, ", "), why))
	}
	return lines
}
