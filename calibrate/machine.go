package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/copies"
)

// machine contains the measurements of the machine, which apply to all data sets.
type machine struct {
	done  bool
	found profile.Profile // links, sharing and copies
	// Parts that were not measured: because of the time limit, and because of an error.
	left, failed []machinePart
	slowdown     float64 // largest ratio of the time of a measured part to its estimate; 0 before the first part
}

// The approximate times for measuring memory, between cores and between processes, and for measuring core sharing in
// one deployment.
const (
	linksTime   = 20 * time.Second
	sharingTime = 25 * time.Second
	// machineShare is the maximum fraction of a budget that is reserved for the machine. lackingShare replaces it if an
	// earlier profile already contains all kernels.
	machineShare = 0.4
	lackingShare = 0.8
	// neededShare replaces machineShare if predictions require a link.
	neededShare = 0.6
)

// machinePart is one measurement of the machine. Its result is stored even if other measurements fail.
type machinePart struct {
	name    string // several parts may have the same name
	about   time.Duration
	needed  bool // predictions require the part, because it is a link without a stated bandwidth
	measure func(ctx context.Context, o *Options, into *profile.Profile) error
	in      func(p *profile.Profile) bool // reports whether a profile contains the part
}

// Names of the parts other than links.
const (
	sharingPart = "core sharing"
	copiesPart  = "the cost of copies of kernels"
)

// machineParts returns the measurements of the machine in a plan, in order.
func (p *Plan) machineParts() []machinePart {
	if p.KernelsOnly || p.CheckOnly {
		return nil
	}
	var list []machinePart
	for _, x := range linkParts(p.Design.Program) {
		part := machinePart{name: linkName(x.unmeasured()), about: linksTime / 2,
			needed: x.where != betweenProcesses && slices.ContainsFunc(p.Design.Problem.Architecture.Links,
				func(l flow.Link) bool { return !(l.Bandwidth > 0) && l.DeclaredName() == x.link.Name })}
		if x.hosts != nil {
			part.about = networkRounds * networkRound
		}
		part.measure = func(ctx context.Context, o *Options, into *profile.Profile) error {
			l, err := x.measure(ctx, p.Design.Program, o)
			if err == nil {
				into.Links = append(into.Links, *l)
			}
			return err
		}
		part.in = func(old *profile.Profile) bool {
			return slices.ContainsFunc(old.Links, func(l profile.Link) bool { return sameLink(&l, x.unmeasured()) })
		}
		list = append(list, part)
	}
	for _, way := range sharingWays(p.Design) {
		list = append(list, machinePart{name: sharingPart, about: sharingTime,
			measure: func(ctx context.Context, o *Options, into *profile.Profile) error {
				report := func(int, int) {
					o.Progress(Progress{Stage: "measuring core sharing on " + way.Platform})
				}
				s, err := RecommendSharing(ctx, way.Platform, SharingCase{Style: program.Style(way.Processes),
					Wait: program.Wait(way.Wait), Scheduler: program.Scheduler(way.Scheduler)}, report)
				if err != nil {
					return fmt.Errorf("measuring %s: %w", sharingPart, err)
				}
				into.Sharing = append(into.Sharing, *s)
				return nil
			},
			in: func(old *profile.Profile) bool {
				return slices.ContainsFunc(old.Sharing, func(s profile.Sharing) bool { return sameWay(&s, &way) })
			}})
	}
	if copies.Any(p.Design.Program) {
		list = append(list, machinePart{name: copiesPart, about: CopiesTime,
			measure: func(ctx context.Context, o *Options, into *profile.Profile) (err error) {
				report := func(int, int) { o.Progress(Progress{Stage: "measuring " + copiesPart}) }
				if into.Copies, err = Copies(ctx, report); err != nil {
					return fmt.Errorf("measuring %s: %w", copiesPart, err)
				}
				return nil
			},
			in: func(old *profile.Profile) bool { return old.Copies != nil }})
	}
	return list
}

// sameLink reports whether two measurements are of the same link between the same kind of ends.
func sameLink(x, y *profile.Link) bool {
	return x.Linktype == y.Linktype && x.Link == y.Link && whereOf(x) == whereOf(y)
}

// whereOf returns the kind of ends of a link's measurement, such as "between cores".
func whereOf(l *profile.Link) string { return cmp.Or(l.Where, betweenCores) }

// linkName returns the name of a link's measurement, as in tables of links.
func linkName(l *profile.Link) string { return cmp.Or(l.Link, l.Linktype) + " " + whereOf(l) }

// sameWay reports whether two measurements of core sharing are for the same deployment.
func sameWay(x, y *profile.Sharing) bool {
	return x.Platform == y.Platform && x.Processes == y.Processes && x.Wait == y.Wait && x.Scheduler == y.Scheduler
}

// sharingWays returns the distinct deployments of a design's cores.
func sharingWays(d *design.Design) []profile.Sharing {
	var list []profile.Sharing
	for r := range d.Program.Resources {
		res := &d.Program.Resources[r]
		way := profile.Sharing{Platform: res.Platform, Processes: res.Config["processes"].Text,
			Wait: res.Config["wait"].Text, Scheduler: res.Config["scheduler"].Text}
		had := slices.ContainsFunc(list, func(x profile.Sharing) bool { return sameWay(&x, &way) })
		if !had && way.Processes != "" {
			list = append(list, way)
		}
	}
	return list
}

// lacking returns the parts that a profile of this machine lacks. For a profile of another machine, it returns all
// parts.
func lacking(parts []machinePart, p *profile.Profile) []machinePart {
	if !sameMachine(p) {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(x machinePart) bool { return x.in(p) })
}

// timeOf returns the approximate total time for measuring parts.
func timeOf(parts []machinePart) time.Duration {
	about := time.Duration(0)
	for i := range parts {
		about += parts[i].about
	}
	return about
}

// nameParts joins the names of parts, without duplicates.
func nameParts(parts []machinePart) string {
	var names []string
	for i := range parts {
		if !slices.Contains(names, parts[i].name) {
			names = append(names, parts[i].name)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
	return strings.Join(names, "")
}

// MachineTime returns the approximate time for measuring the machine.
func (p *Plan) MachineTime() time.Duration { return timeOf(p.machineParts()) }

// sameMachine reports whether a profile has figures of this machine's links or shared cores.
func sameMachine(p *profile.Profile) bool {
	return p != nil && len(p.Links)+len(p.Sharing) > 0 && ofHere(p)
}

// ofHere reports whether a profile was measured on this machine.
func ofHere(p *profile.Profile) bool {
	here := profile.ThisMachine()
	return p.Machine.CPU == here.CPU && p.Machine.Cores == here.Cores && p.Machine.Kernel == here.Kernel
}

// due returns the parts to measure: those that an incomplete earlier profile of this machine lacks, or else all parts.
func due(parts []machinePart, earlier *profile.Profile) []machinePart {
	if earlier == nil || earlier.Conditions == nil || earlier.Conditions.Incomplete == "" {
		return parts
	}
	if rest := lacking(parts, earlier); len(rest) > 0 {
		return rest
	}
	return parts
}

// measure measures the given parts, unless it has been called before. It skips parts for which the time until the
// deadline probably does not suffice; a zero deadline sets no limit. It stores each completed part, even if other parts
// fail.
func (m *machine) measure(ctx context.Context, parts []machinePart, o Options, deadline time.Time) error {
	if m.done || ctx.Err() != nil {
		if !m.done {
			m.left = parts
		}
		return nil
	}
	m.done = true
	o.fill()
	about, first, report := timeOf(parts), o.now(), o.Progress
	o.Progress = func(x Progress) { report(Progress{x.Stage, capped(about-o.now().Sub(first), o.now(), deadline)}) }
	var failed error
	for i := range parts {
		about := time.Duration(float64(parts[i].about) * max(1, m.slowdown))
		minimum := about // minimum remaining time for starting the part
		if parts[i].needed {
			minimum /= 2 // predictions require the part
		}
		if !deadline.IsZero() && deadline.Sub(o.now()) < minimum {
			m.left = append(m.left, parts[i])
			continue
		}
		limited, cancel := withDeadline(ctx, o.now, deadline)
		start, err := o.now(), limited.Err()
		if err == nil {
			err = parts[i].measure(limited, &o, &m.found)
			m.slowdown = max(m.slowdown, float64(o.now().Sub(start))/float64(parts[i].about))
		}
		late := limited.Err() != nil
		cancel()
		switch {
		case err == nil:
		case late:
			m.left = append(m.left, parts[i:]...)
			return failed
		default:
			m.failed = append(m.failed, parts[i])
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// capped limits an estimate of the remaining time to the time until the deadline.
func capped(left time.Duration, now, deadline time.Time) time.Duration {
	if deadline.IsZero() {
		return left
	}
	return max(0, min(left, deadline.Sub(now)))
}

// noteLeft records the missing parts of the machine in a profile. lacking names the parts that were omitted because of
// the time limit. before names the parts that the profile keeps from an earlier calibration.
func (m *machine) noteLeft(p *profile.Profile) (lacking, before string) {
	lacks := func(parts []machinePart) []machinePart {
		return slices.DeleteFunc(slices.Clone(parts), func(x machinePart) bool { return x.in(p) })
	}
	left := lacks(m.left)
	has := slices.DeleteFunc(slices.Clone(m.left), func(x machinePart) bool { return !x.in(p) })
	lacking, before = nameParts(left), nameParts(has)
	all := append(lacks(m.failed), left...)
	if len(all) == 0 {
		return lacking, before
	}
	switch was, names := &p.Conditions.Incomplete, nameParts(all); {
	case strings.Contains(*was, "not measured: "):
		*was += "; nor " + names
	case *was != "":
		*was += "; not measured: " + names
	case len(left) > 0:
		*was = "time limit reached; not measured: " + names
	default:
		*was = "not measured: " + names
	}
	return lacking, before
}
