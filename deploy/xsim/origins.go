package xsim

import (
	"errors"
	"path/filepath"
	"strings"

	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// A replay does not improve the origin of times: draws from assumed figures remain assumed. These functions return the
// origin of replayed times by kernel, in the words of a trace.Origin. It is "" for times that were measured, or
// simulated without figures, which is the default of a run in virtual time.

// TraceOrigins returns the origin of each kernel's times in a trace.
func TraceOrigins(p *xlang.Program, h *trace.Header) []string {
	list, originOf := make([]string, len(p.Kernels)), h.OriginsByKernel()
	for k := range list {
		list[k] = notableOrigin(originOf(p.Kernels[k].Name))
	}
	for _, x := range h.Origins {
		if k := kernelNamed(p, x.Kernel); k >= 0 {
			list[k] = notableOrigin(x.Origin)
		}
	}
	return list
}

// RunOrigins returns the origin of each kernel's times in the run of a result.
func RunOrigins(p *xlang.Program, m *result.Measured) []string {
	list := make([]string, len(p.Kernels))
	for i := range m.Kernels {
		for k := range list {
			if p.Kernels[k].Name == m.Kernels[i].Kernel {
				list[k] = notableOrigin(m.Kernels[i].TimesFrom)
			}
		}
	}
	return list
}

// RuleOrigins returns the origin of each kernel's times in the files next to a file of rules, from their headers.
func RuleOrigins(p *xlang.Program, f *xeval.File, dir string) (list []string, err error) {
	list = make([]string, len(p.Kernels))
	for i := range f.Blocks {
		b := &f.Blocks[i]
		k := kernelNamed(p, b.Name)
		if k < 0 || len(b.Rules) != 1 {
			continue
		}
		t, oerr := xeval.OpenTimes(filepath.Clean(dir), b.Name, 0, len(b.Rules[0].Outputs), 0)
		if oerr != nil {
			err = errors.Join(err, oerr)
			continue
		}
		list[k] = notableOrigin(t.Origin())
		err = errors.Join(err, t.Close())
	}
	return list, err
}

func notableOrigin(origin string) string {
	if origin == "simulated" || trace.OriginWord(origin) == "measured" {
		return ""
	}
	return origin
}

// WeakerOrigins returns, for each kernel, the weaker of two origins: assumed before published before others.
func WeakerOrigins(a, b []string) []string {
	list := make([]string, len(a))
	for k := range a {
		if list[k] = a[k]; weakness(b[k]) > weakness(a[k]) {
			list[k] = b[k]
		}
	}
	return list
}

func weakness(origin string) int {
	return map[string]int{"simulated": 1, "published": 2, "assumed": 3}[trace.OriginWord(origin)]
}

// Disturbed describes the effect of a load on a run with natively executed kernels. In virtual time, a load affects
// only the times of kernels on cores. The text is "" if there are none.
func Disturbed(d *design.Design, m *result.Measured, load string) string {
	if m.Simulated == "" || load == "" {
		return load
	}
	for _, r := range d.Mapping.Place {
		if d.Problem.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
			return load + ". This affects the measured times of kernels on cores"
		}
	}
	return ""
}

// SetOrigins sets the origins of the kernels' times in the measurement of a run in virtual time. The notes name the
// kernels of a replay whose times were not measured.
func SetOrigins(m *result.Measured, origins []trace.Origin, replay *Replayed) (notes []fault.Note) {
	if m.Simulated == "" {
		return nil
	}
	h := trace.Header{Origins: origins}
	originOf := h.OriginsByKernel()
	for i := range m.Kernels {
		m.Kernels[i].TimesFrom = originOf(m.Kernels[i].Kernel)
	}
	if replay == nil {
		return nil
	}
	const maximum = 6
	for _, of := range h.ByOrigin() {
		notes = append(notes, fault.TimesNotMeasured.Notef("replay: the times of %s are not measured: %s",
			strings.Join(units.First(of.Kernels, maximum, "and %d more"), ", "), of.Origin))
	}
	return notes
}
