package xlang

import (
	"fmt"
	"path/filepath"
	"strings"

	"xopt/flow/faults"
)

// Instantiate merges the copies of a kernel that are all on one FPGA into one kernel with several instances
// ([Kernel.Instances]), and returns the new program. On the FPGA, each firing goes to the next copy, and hardware
// collects the output. Instantiate changes nothing else in the program. If there are no such kernels, Instantiate
// returns p itself. The error is a [Diagnostics] about kernels that hardware cannot copy, or map statements that name a
// core twice.
func (p *Program) Instantiate(isFPGA func(resource int) bool) (*Program, error) {
	r := replicator{p: p, copies: make([]*Map, len(p.Kernels))}
	q := *p
	q.Kernels, q.Maps = append([]Kernel(nil), p.Kernels...), append([]Map(nil), p.Maps...)
	any := false
	for i := range p.Maps {
		m := &p.Maps[i]
		if m.Kernel < 0 || len(m.Copies) < 2 {
			continue
		}
		at, twice := m.Copies[0].Resource, r.twice(m)
		for _, c := range m.Copies {
			if c.Resource != at {
				at = -1
			}
		}
		switch {
		case twice < 0: // each copy is on a different resource
		case !isFPGA(m.Copies[twice].Resource):
			name := p.Resources[m.Copies[twice].Resource].Name
			r.diags.add(faults.MappedTwice, m.Copies[twice].Pos, fmt.Sprintf("map names %s twice", name),
				"to give a copy more turns than the other copies, write: 2 "+name)
		case at < 0:
			r.diags.add(faults.CopiesOnFPGA, m.Copies[twice].Pos, fmt.Sprintf("several copies of %s are on %s, and "+
				"other copies on other resources", p.Kernels[m.Kernel].Name,
				p.Resources[m.Copies[twice].Resource].Name), "map all copies to one FPGA, or one copy to each resource")
		default:
			any = true
			r.copies[m.Kernel] = m
			q.Kernels[m.Kernel].Instances = len(m.Copies)
			q.Maps[i].Copies = nil
		}
	}
	r.apartNot()
	r.check()
	if len(r.diags) == 0 {
		r.instances()
	}
	if len(r.diags) > 0 {
		return nil, r.diags
	}
	if !any {
		return p, nil
	}
	return &q, nil
}

// apartNot reports copies on one FPGA that must be on different resources because of an apart statement.
func (r *replicator) apartNot() {
	for _, g := range r.p.Separate {
		for _, k := range g.Kernels {
			if r.copies[k] != nil {
				r.diags.addRelated(faults.CopiesOnFPGA, r.copies[k].Pos, g.Pos, fmt.Sprintf("all copies of %s are on "+
					"one FPGA, but apart needs different resources for them", r.p.Kernels[k].Name),
					"omit the kernel from apart, or map it without copies")
			}
		}
	}
}

// twice returns the index of a copy on the same resource as an earlier copy; -1 if there is none.
func (r *replicator) twice(m *Map) int {
	seen := make(map[int]bool)
	for i, c := range m.Copies {
		if seen[c.Resource] {
			return i
		}
		seen[c.Resource] = true
	}
	return -1
}

// instances rejects copies on one FPGA that cannot process firings in turn.
func (r *replicator) instances() {
	for k, m := range r.copies {
		if m == nil {
			continue
		}
		kernel := &r.p.Kernels[k]
		for _, c := range m.Copies {
			if c.Turns != m.Copies[0].Turns {
				r.diags.add(faults.CopiesOnFPGA, c.Pos, fmt.Sprintf("copies of %s on one FPGA have the same speed "+
					"and cannot have different turns", kernel.Name), "omit the numbers of batches")
				break
			}
		}
		if kernel.Stateless.Key >= 0 {
			r.fail(faults.CopiesByKey, k, "copy the kernel on cores, or map it to the FPGA once", "kernel %s "+
				"selects copies by key, but copies on an FPGA process firings in turn", kernel.Name)
		}
		for port := range kernel.Outputs {
			if kernel.Emits == nil || kernel.Emits[port].Elements == 0 {
				r.fail(faults.CopiesOnFPGA, k, fmt.Sprintf("if the number is constant, declare it in block %s: emit "+
					"1 %s;", kernel.Block, kernel.Outputs[port].Name), "copies of %s on an FPGA send in turn, but the "+
					"number of elements that a firing sends on %s is unknown",
					kernel.Name, kernel.Outputs[port].Name)
				break
			}
		}
	}
}

// Ancestors returns a platform or linktype and its ancestors, nearest first.
func (p *Program) Ancestors(name string) []string {
	base := make(map[string]string, len(p.Platforms)+len(p.Linktypes))
	for _, t := range p.Platforms {
		base[t.Name] = t.Base
	}
	for _, t := range p.Linktypes {
		base[t.Name] = t.Base
	}
	var chain []string
	for name != "" && len(chain) <= len(base) {
		chain = append(chain, name)
		name = base[name]
	}
	return chain
}

// Implementation returns the implementation of a block with a source file for the nearest of the given platforms, or
// nil if there is none.
func (p *Program) Implementation(block string, platforms []string) *Impl {
	for _, platform := range platforms {
		for i := range p.Impls {
			if impl := &p.Impls[i]; impl.Block == block && impl.Platform == platform && impl.Attrs["src"].Text != "" {
				return impl
			}
		}
	}
	return nil
}

// Source returns the path of the source file. If the attribute src is a relative path, it is relative to the folder of
// the X file.
func (i *Impl) Source() string { return i.path(i.Attrs["src"].Text) }

// Sources returns the paths of all source files: the file in the attribute src, and the files in the attribute with.
func (i *Impl) Sources() []string {
	paths := []string{i.Source()}
	for _, text := range strings.Fields(i.Attrs["with"].Text) {
		paths = append(paths, i.path(text))
	}
	return paths
}

func (i *Impl) path(text string) string {
	path := filepath.FromSlash(text)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(i.Dir, path)
}
