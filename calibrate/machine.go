package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper/replicate"
)

// machine holds the measurements that are made once for all data sets.
type machine struct {
	done  bool
	found profile.Profile // its links, sharing and copies
	// Parts that were not measured: for want of time, and because of an error.
	left, failed []machinePart
}

// The approximate times of measuring the memory that cores share, in two ways, and how kernels share a core in one way.
const (
	linksTime   = 20 * time.Second
	sharingTime = 25 * time.Second
	// machineShare is the greatest share of a budget that is set aside for the machine, lackingShare that of a
	// calibration which goes on with an earlier one that has all kernels.
	machineShare = 0.4
	lackingShare = 0.8
)

// machinePart is a part of what is measured of a machine. Each is kept when it is done, whatever happens to the others.
type machinePart struct {
	name    string // several parts may have one
	about   time.Duration
	measure func(ctx context.Context, o *Options, into *profile.Profile) error
	in      func(p *profile.Profile) bool // whether a profile has it
}

// Names of the parts of a machine, besides links between hosts.
const (
	memoryPart  = "the memory that cores share"
	sharingPart = "how kernels share a core"
	copiesPart  = "what copies of kernels cost"
)

// machineParts lists the parts of the machine of a plan in the order in which they are measured.
func (p *Plan) machineParts() []machinePart {
	if p.KernelsOnly || p.CheckOnly {
		return nil
	}
	var list []machinePart
	for _, x := range linkParts(p.Design.Program) {
		part := machinePart{name: memoryPart, about: linksTime / 2}
		if x.hosts != nil {
			part.name, part.about = "link "+x.link.Name+" between hosts", networkRounds*networkRound
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
				tell := func(int, int) {
					o.Progress(Progress{Stage: "measuring how kernels share a core of " + way.Platform})
				}
				s, err := RecommendSharing(ctx, way.Platform, SharingCase{Style: program.Style(way.Processes),
					Wait: program.Wait(way.Wait), Scheduler: program.Scheduler(way.Scheduler)}, tell)
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
	if replicate.Any(p.Design.Program) {
		list = append(list, machinePart{name: copiesPart, about: CopiesTime,
			measure: func(ctx context.Context, o *Options, into *profile.Profile) (err error) {
				tell := func(int, int) { o.Progress(Progress{Stage: "measuring " + copiesPart}) }
				if into.Copies, err = Copies(ctx, tell); err != nil {
					return fmt.Errorf("measuring %s: %w", copiesPart, err)
				}
				return nil
			},
			in: func(old *profile.Profile) bool { return old.Copies != nil }})
	}
	return list
}

// sameLink reports whether two measurements are of the same link, between the same ends.
func sameLink(x, y *profile.Link) bool {
	where := func(l *profile.Link) string {
		if l.Where == "" {
			return betweenCores
		}
		return l.Where
	}
	return x.Linktype == y.Linktype && x.Link == y.Link && where(x) == where(y)
}

// sameWay reports whether two measurements are of cores that are deployed in the same way.
func sameWay(x, y *profile.Sharing) bool {
	return x.Platform == y.Platform && x.Processes == y.Processes && x.Wait == y.Wait && x.Scheduler == y.Scheduler
}

// sharingWays lists the ways in which cores of a design are deployed.
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

// lacking lists the parts that a profile of this machine lacks; all of them where it is of another one.
func lacking(parts []machinePart, p *profile.Profile) []machinePart {
	if !sameMachine(p) {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(x machinePart) bool { return x.in(p) })
}

// timeOf returns the approximate time of measuring parts.
func timeOf(parts []machinePart) time.Duration {
	about := time.Duration(0)
	for i := range parts {
		about += parts[i].about
	}
	return about
}

// nameParts names parts, each name once.
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

// MachineTime returns the approximate time that measuring the machine takes.
func (p *Plan) MachineTime() time.Duration { return timeOf(p.machineParts()) }

// sameMachine reports whether a profile has figures of this machine.
func sameMachine(p *profile.Profile) bool {
	here := profile.ThisMachine()
	return p != nil && len(p.Links)+len(p.Sharing) > 0 && p.Machine.CPU == here.CPU && p.Machine.Cores == here.Cores &&
		p.Machine.Kernel == here.Kernel
}

// addMachine adds to a profile what an earlier one of the same machine has and it lacks.
func addMachine(to, earlier *profile.Profile) {
	for i := range earlier.Links {
		old := &earlier.Links[i]
		if !slices.ContainsFunc(to.Links, func(l profile.Link) bool { return sameLink(&l, old) }) {
			to.Links = append(to.Links, *old)
		}
	}
	for i := range earlier.Sharing {
		old := &earlier.Sharing[i]
		if !slices.ContainsFunc(to.Sharing, func(s profile.Sharing) bool { return sameWay(&s, old) }) {
			to.Sharing = append(to.Sharing, *old)
		}
	}
	if to.Copies == nil {
		to.Copies = earlier.Copies
	}
}

// due lists the parts to measure. An incomplete earlier profile of this machine leaves only what it lacks.
func due(parts []machinePart, earlier *profile.Profile) []machinePart {
	if earlier == nil || earlier.Conditions == nil || earlier.Conditions.Incomplete == "" {
		return parts
	}
	if rest := lacking(parts, earlier); len(rest) > 0 {
		return rest
	}
	return parts
}

// measure measures parts of the machine, once, until the deadline; zero for none. Each part that is done is kept,
// whatever becomes of the others.
func (m *machine) measure(ctx context.Context, parts []machinePart, o Options, deadline time.Time) error {
	if m.done || ctx.Err() != nil {
		return nil
	}
	m.done = true
	within := ctx
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	o.fill()
	about, begin, tell := timeOf(parts), time.Now(), o.Progress
	o.Progress = func(x Progress) { tell(Progress{x.Stage, about - time.Since(begin)}) }
	var failed error
	for i := range parts {
		err := within.Err()
		if err == nil {
			err = parts[i].measure(within, &o, &m.found)
		}
		switch {
		case err == nil:
		case within.Err() == nil:
			m.failed = append(m.failed, parts[i])
			failed = errors.Join(failed, err)
		default:
			m.left = parts[i:]
			return failed
		}
	}
	return failed
}

// noteLeft writes into a profile what of the machine it lacks, and reports whether it lacks anything for want of time:
// it may have it from before.
func (m *machine) noteLeft(p *profile.Profile) bool {
	lacks := func(parts []machinePart) []machinePart {
		return slices.DeleteFunc(slices.Clone(parts), func(x machinePart) bool { return x.in(p) })
	}
	left := lacks(m.left)
	all := append(lacks(m.failed), left...)
	if len(all) == 0 {
		return false
	}
	switch was, names := &p.Conditions.Incomplete, nameParts(all); {
	case strings.Contains(*was, "not measured: "):
		*was += "; nor " + names
	case *was != "":
		*was += "; not measured: " + names
	case len(left) > 0:
		*was = "the time ran out; not measured: " + names
	default:
		*was = "not measured: " + names
	}
	return len(left) > 0
}
