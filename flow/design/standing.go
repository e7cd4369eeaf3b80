package design

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// Checker reports whether an entry of a profile was measured with the current sources.
type Checker interface {
	// Check compares the current sources of a kernel on a resource with the sources of an entry. stale describes the
	// difference; it is "" if there is none. unknown is the reason why the sources cannot be compared.
	Check(entry *profile.Kernel, kernel, resource string) (stale, unknown string)
}

// Doubt is a reason why the figures of a kernel on some resources are unreliable.
type Doubt struct {
	Kernel    string
	Resources []string
	Why       string
	// NoSource reports whether a source file does not exist. A warning names this file.
	NoSource bool
}

func (d Doubt) String() string { return fmt.Sprintf("%s: %s", d.Where(), d.Why) }

// Where returns the kernel and its resources in words.
func (d Doubt) Where() string { return d.Kernel + " on " + units.Some(Ranges(d.Resources), 4) }

// standing describes the reliability of the profile's figures of one kernel on one resource.
type standing struct{ stale, unknown, mismatch string }

// note stores the standing of a doubtful pair. rate and gain report whether the profile supplies these figures.
func (b *builder) note(k, r int, s standing, rate, gain bool) {
	if s.stale != "" {
		s.mismatch = "" // the mismatch belonged to other sources
	}
	if !rate && !gain {
		s.stale, s.unknown = "", ""
	}
	if s == (standing{}) {
		return
	}
	if b.standings == nil {
		b.standings, b.d.staleRates = make(map[pair]standing), make(map[pair]string)
	}
	b.standings[pair{k, r}] = s
	if rate && s.stale != "" {
		b.d.staleRates[pair{k, r}] = s.stale
	}
}

// staleShapes records the kernels with stale routing fractions.
func (b *builder) staleShapes() {
	b.d.staleRoutings = make(map[int]string)
	for p, s := range b.standings {
		if s.stale == "" {
			continue
		}
		if b.routed[p.kernel] {
			b.d.staleRoutings[p.kernel] = max(s.stale, b.d.staleRoutings[p.kernel]) // independent of map order
		}
	}
}

// doubts reports the relevant figures that are stale or cannot be compared with the sources. It also reports kernels
// whose results differ from the results on a core. It makes figures unavailable that must not be used.
func (b *builder) doubts() {
	b.staleShapes()
	if p := b.opt.Profile; p != nil {
		b.d.Disturbed, b.d.MismatchAllowed = p.Disturbed(), b.opt.AllowMismatch
		b.d.measure, b.d.profileNote = b.calibrate(p.DataSet(), p.Elements(), p.Path()), b.measuredNote()
		defer b.measureVaried()
	}
	for k := range b.prog.Kernels {
		if len(b.standings) == 0 {
			return
		}
		for r := range b.prog.Resources {
			s, ok := b.standings[pair{k, r}]
			if !ok || !b.p.Figures[k][r].Available || !b.needed(k, r) {
				continue
			}
			b.d.Stale = b.doubt(b.d.Stale, k, r, s.stale)
			if b.d.Unchecked = b.doubt(b.d.Unchecked, k, r, s.unknown); s.unknown != "" {
				b.d.Unchecked[len(b.d.Unchecked)-1].NoSource = b.warnOfSource(k, r)
			}
			b.d.Mismatched = b.doubt(b.d.Mismatched, k, r, s.mismatch)
			if s.mismatch == "" || b.opt.AllowMismatch {
				continue
			}
			switch {
			case b.opt.Purpose == ForSearch:
				b.p.Figures[k][r].Available = false
			case b.opt.Purpose == ForMapping && b.d.Place[k] == r:
				b.diag.errorf(faults.OutputDiffers, b.prog.Kernels[k].Pos, "%s",
					wrong(b.prog.Kernels[k].Name, b.prog.Resources[r].Name, s.mismatch)).Hint = mendMismatch
			}
		}
	}
	if b.opt.Purpose != ForSearch || b.opt.AllowMismatch {
		return
	}
	for _, m := range b.d.Mismatched {
		k := b.byName[m.Kernel][0]
		left := false
		for r := range b.p.Figures[k] {
			left = left || b.p.Figures[k][r].Available && b.allowed[k][r]
		}
		if !left {
			b.diag.errorf(faults.OutputDiffers, b.prog.Kernels[k].Pos, "kernel %s cannot run anywhere: its output "+
				"on %s differs from the output on a core: %s", m.Kernel, units.Some(Ranges(m.Resources), 4),
				m.Why).Hint = mendMismatch
		}
	}
}

// measureVaried changes the command that measures stale figures again, if the configs of a sweep's point made them
// stale. A profile contains figures for one set of configs only, so the command writes a separate profile for this
// point.
func (b *builder) measureVaried() {
	p := b.opt.Profile
	for _, set := range b.opt.Varied {
		name, _, _ := strings.Cut(set, "=")
		config := "config " + strings.TrimSpace(name[strings.LastIndexByte(name, '.')+1:]) + " "
		if slices.ContainsFunc(b.d.Stale, func(x Doubt) bool { return strings.Contains(x.Why, config) }) {
			b.opt.Set = slices.Concat(b.opt.Set, b.opt.Varied)
			b.d.measure = b.calibrate(p.DataSet(), p.Elements(), pointProfile)
			b.d.StaleByPoint = true
			return
		}
	}
}

// pointProfile is the file for the figures of one point of a sweep.
const pointProfile = "point.profile.json"

// mendMismatch is the hint for a kernel whose output on an FPGA differs from its output on a core.
const mendMismatch = "correct the kernel's source for the FPGA and calibrate again, or use --allow-mismatch if the " +
	"difference is intended"

func wrong(kernel, resource, why string) string {
	return fmt.Sprintf("output of kernel %s on %s differs from the output on a core: %s", kernel, resource, why)
}

// doubt adds a pair to a list. Resources with the same reason are adjacent.
func (b *builder) doubt(list []Doubt, k, r int, why string) []Doubt {
	if why == "" {
		return list
	}
	name, at := b.prog.Kernels[k].Name, b.prog.Resources[r].Name
	if n := len(list); n > 0 && list[n-1].Kernel == name && list[n-1].Why == why {
		list[n-1].Resources = append(list[n-1].Resources, at)
		return list
	}
	return append(list, Doubt{Kernel: name, Resources: []string{at}, Why: why})
}

// warnOfSource warns if a source file of a kernel on a resource does not exist. It reports whether it warned.
func (b *builder) warnOfSource(k, r int) bool {
	x := &b.prog.Kernels[k]
	impl := b.prog.Implementation(x.Block, b.prog.Ancestors(b.prog.Resources[r].Platform))
	// For other purposes, other code reports a missing file as an error.
	if impl == nil || b.opt.Purpose != ForSearch && b.opt.Purpose != ForMapping {
		return false
	}
	for _, path := range impl.Sources() {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			n := faults.SourceMissing.Notef("the source file %s of block %s does not exist: xopt cannot check that "+
				"the measured figures match the source, and deploy will fail (restore the file, or correct src in "+
				"the impl statement)", path, x.Block)
			if !slices.Contains(b.d.Warnings, n) {
				b.d.Warnings = append(b.d.Warnings, n)
			}
			return true
		}
	}
	return false
}

// Wrong returns a message for each kernel that a mapping places on an FPGA and whose results differ from the results on
// a core.
func (d *Design) Wrong(m *flow.Mapping) []string {
	var list []string
	for _, x := range d.Mismatched {
		for k := range d.Program.Kernels {
			if at := d.Program.Resources[m.Place[k]].Name; d.Program.Kernels[k].Name == x.Kernel &&
				slices.Contains(x.Resources, at) {
				list = append(list, wrong(x.Kernel, at, x.Why))
			}
		}
	}
	return list
}

// Refuse returns an error if [Design.Wrong] returns messages and MismatchAllowed is false.
func (d *Design) Refuse(m *flow.Mapping) error {
	list := d.Wrong(m)
	if len(list) == 0 || d.MismatchAllowed {
		return nil
	}
	return fmt.Errorf("%s; %s", strings.Join(list, "; "), mendMismatch)
}

// MeasureCommand returns the command that measures the profile's figures again.
func (d *Design) MeasureCommand() string { return d.measure }
