package run

import (
	"fmt"
	"strings"

	"xopt/deploy/abi"
	"xopt/internal/units"
)

// cycleText describes a cycle through a kernel, with the numbers of elements on its edges.
func (r *run) cycleText(k int) string {
	names, contents := []string{r.prog.Kernels[k].Name}, []string{}
	for _, e := range r.prog.Cycle(k) {
		x := &r.prog.Edges[e]
		names = append(names, r.prog.Kernels[x.To].Name)
		text := fmt.Sprintf("%s contains %d of %s", x.Name, r.queued(e), units.Elements(x.Capacity))
		if x.Initial > 0 {
			text += fmt.Sprintf(", %d of them at the start", x.Initial)
		}
		contents = append(contents, text)
	}
	return fmt.Sprintf("%s (%s)", strings.Join(names, " -> "), listed(contents, "; "))
}

// cycles describes the loops whose kernels wait for each other; "" for none.
func (r *run) cycles() string {
	var all []string
	for l := range r.prog.Loops {
		for _, k := range r.prog.Loops[l].Kernels {
			if r.load32(r.kernelAt(k)+abi.KernelDone) == 0 {
				all = append(all, r.cycleText(k))
				break
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; kernels in a loop wait for each other if one consumes more than the loop returns plus the initial " +
		"elements (initial=…), or if a buffer is full: " + listed(all, "; ")
}

// starved returns the failure of a kernel in a loop that left input from outside the loop unread. The input suffices
// for a firing of the kernel's join, but the loop did not supply the other inputs. Such a run ended without completing
// its work.
func (r *run) starved() *Failure {
	for l := range r.prog.Loops {
		for _, k := range r.prog.Loops[l].Kernels {
			kernel := &r.prog.Kernels[k]
			var left []string
			enough := kernel.Joined
			for _, port := range kernel.Inputs {
				contents, outside := uint64(0), !port.Once
				for _, e := range port.Edges {
					contents, outside = contents+r.queued(e), outside && r.prog.Edges[e].Loop < 0
				}
				if outside {
					enough = enough && contents >= port.Needs
					left = append(left, units.Elements(contents)+" of "+port.Name)
				}
			}
			if enough && len(left) > 0 {
				return &Failure{Kind: "deadlock", Kernel: kernel.Name, Text: fmt.Sprintf("%s left %s unread, after "+
					"%s, because its loop returned no more elements: %s (a kernel of the loop consumes more or sends "+
					"less than declared, or there are too few initial elements)", r.kernelText(k), strings.Join(left,
					" and "),
					r.lastProgress(k), r.cycleText(k))}
			}
		}
	}
	return nil
}
