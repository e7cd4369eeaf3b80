// Package finalists selects mappings of a search for a race, and sorts the candidates of the search by the results.
//
// Package deploy/validate runs the race. Package finalists neither searches nor prints.
package finalists

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/deploy/faults"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/copies"
)

// Check returns an error if this machine cannot run the candidates of a search. The reason is that the architecture has
// FPGAs, or that a block has no source for the cores.
func Check(d *design.Design) error {
	p := d.Program
	for r := range p.Resources {
		if design.IsFPGA(p, r) {
			return faults.RaceOnFPGA.Usagef("--race runs mappings on cores only, but %s is an FPGA: use xopt "+
				"validate, or set the number of FPGAs to 0 with --set", p.Resources[r].Name)
		}
	}
	for k := range p.Kernels {
		block := p.Kernels[k].Block
		if !slices.ContainsFunc(p.Resources, func(r xlang.Resource) bool {
			impl := p.Implementation(block, p.Ancestors(r.Platform))
			return impl != nil && impl.Attrs["src"].Text != ""
		}) {
			return faults.NoSource.Usagef("--race runs mappings, but block %s has no source for any core: add a "+
				"source, or omit --race", block)
		}
	}
	return nil
}

// Finalist is a mapping of a race.
type Finalist struct {
	validate.Racer
	Candidate mapper.Candidate
}

// Racers returns the Racer of each finalist.
func Racers(list []Finalist) []validate.Racer {
	racers := make([]validate.Racer, len(list))
	for i := range list {
		racers[i] = list[i].Racer
	}
	return racers
}

// Select returns the mappings for a race of the given duration. They are the best candidate of a search, the best
// candidates with copies, without copies and on one core, and the next candidates. Mappings that differ only in the
// order of equal cores count once.
func Select(found []mapper.Candidate, x *copies.Improved, limit time.Duration) ([]Finalist, error) {
	plain, alone := x.WithoutCopies(found)
	one, err := mapper.OnOneCore(plain.Problem, plain.Constraints)
	if err != nil {
		return nil, fmt.Errorf("finding the best mapping on one core: %w", err)
	}
	all := slices.Clone(found)
	reserved := []*flow.Mapping{found[0].Mapping, alone[0].Mapping}
	for _, c := range []*mapper.Candidate{x.Copied, one} {
		if c != nil {
			all, reserved = append(all, *c), append(reserved, c.Mapping)
		}
	}
	var list []Finalist
	var choices []validate.Choice
	for i, c := range slices.Concat(all, alone) {
		if slices.ContainsFunc(choices, func(o validate.Choice) bool { return o.Mapping == c.Mapping }) {
			continue
		}
		d := x.DesignOf(c.Mapping)
		f := Finalist{Candidate: c}
		f.Name, f.Mapping = fmt.Sprintf("predicted %d", i+1), c.Mapping
		f.Structure = structure(d.Program, c.Mapping)
		if one != nil && c.Mapping == one.Mapping {
			f.Name = "one core"
		}
		if d != plain {
			f.Design = d
		}
		list, choices = append(list, f), append(choices, f.Choice)
	}
	choices, _, err = validate.WithoutTwins(plain, choices, func(m []*flow.Mapping) ([]int, error) {
		return mapper.Mirrors(plain.Problem, plain.Constraints, m)
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(f Finalist) bool {
		return !slices.ContainsFunc(choices, func(c validate.Choice) bool { return c.Mapping == f.Mapping })
	})
	return selectFinalists(list, reserved, validate.RaceSize(limit)), nil
}

// selectFinalists returns at most maximum mappings: the mappings with a reserved place, and then the first other
// mappings.
func selectFinalists(list []Finalist, reserved []*flow.Mapping, maximum int) []Finalist {
	selected := make([]bool, len(list))
	left := maximum
	for _, first := range []bool{true, false} {
		for i := range list {
			if left > 0 && !selected[i] && (!first || slices.Contains(reserved, list[i].Mapping)) {
				selected[i] = true
				left--
			}
		}
	}
	var kept []Finalist
	for i := range list {
		if selected[i] {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// structure describes the copies and the number of cores of a mapping.
func structure(p *xlang.Program, m *flow.Mapping) string {
	used := make(map[int]bool)
	for _, r := range m.Place {
		used[r] = true
	}
	cores := units.Counted(len(used), "core", "cores")
	var copied []string
	for k := range p.Kernels {
		if x := p.Kernels[k].Replica; x != nil && x.Index == 0 {
			copied = append(copied, x.Of)
		}
	}
	if len(copied) == 0 {
		return cores
	}
	return "copies of " + strings.Join(design.Ranges(copied), ", ") + " on " + cores
}

// Sort returns the candidates of a search after a race of some mappings, at most maximum. The mappings with a rank come
// first, the fastest first. The other mappings follow in their order. Mappings whose kernels failed are omitted, unless
// no other mappings remain. If x is nil, no race took place, and the order does not change.
func Sort(x *validate.Raced, list []Finalist, found []mapper.Candidate, maximum int) []mapper.Candidate {
	if x == nil {
		return found[:min(maximum, len(found))]
	}
	var sorted []mapper.Candidate
	done := make(map[*flow.Mapping]bool)
	for i := range x.Cases {
		done[x.Cases[i].Mapping] = x.Cases[i].Faulted
	}
	for _, i := range x.Race.Order {
		sorted, done[x.Cases[i].Mapping] = append(sorted, list[i].Candidate), true
	}
	for i := range found {
		if !done[found[i].Mapping] {
			sorted = append(sorted, found[i])
		}
	}
	if len(sorted) == 0 {
		sorted = found
	}
	return sorted[:min(maximum, len(sorted))]
}
