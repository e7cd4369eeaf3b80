package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"xopt/flow/design"
	"xopt/internal/units"
)

// namedDoubts is the maximum number of doubts of one kind that are named individually.
const namedDoubts = 8

// Remarked records the remarks that a command has printed. A sweep reads the files again for every point. If remarks
// differ only in their numbers, it prints only the first of them.
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

// Doubts returns a title and lines about the doubts that have not been named yet. Kernels with the same reason share a
// line.
func (k *Remarked) Doubts(list []design.Doubt, title string) (lines []string) {
	k.init()
	var order []string
	kernels := make(map[string][]string)
	var now []string // joined into one remark; in a sweep, resources that differ only in their number share a name
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
