package design

import (
	"fmt"
	"math"
	"path/filepath"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// defaultUsable is the fraction of an FPGA's area that kernels may fill if no config states it. The remaining area is
// for routing and the interface.
const defaultUsable = 0.8

// onePerCore is the value of the config processes for a core whose kernels run in one process.
const onePerCore = "core"

// resources converts the computational resources.
func (b *builder) resources() {
	arch := &b.p.Architecture
	for _, r := range b.prog.Resources {
		config := r.Config
		res := flow.Resource{Name: r.Name, Platform: r.Platform}
		res.Host, _ = HostOf(b.prog, len(arch.Resources))
		res.Sharing = b.coreSharing(r, config)
		res.Area, res.AreaOrigin = b.area(r, config)
		res.Power = b.optional(config["power"], units.ParsePower, "power of resource "+r.Name, 0)
		res.Idle = b.optional(config["idle"], units.ParsePower, "idle of resource "+r.Name, 0)
		res.Price = b.optional(config["price"], units.ParsePrice, "price of resource "+r.Name, 0)
		b.processor(&r)
		b.simulated(&r)
		hertz := 0.0
		if c := clockOf(&r); isSet(c.Value) {
			hertz = b.quantity(c.Value, c.read, c.what)
		}
		drift := b.drift(&r)
		b.clocks, b.drifts = append(b.clocks, drift*hertz), append(b.drifts, drift)
		if res.Idle > 0 && res.Idle > res.Power {
			b.diag.errorf(faults.IdleAbovePower, config["idle"].Pos, "idle of resource %s is %g W, but power is %g W; "+
				"idle must not exceed power", r.Name, res.Idle, res.Power)
		}
		arch.Resources = append(arch.Resources, res)
	}
	b.hosts()
	if len(b.prog.Resources) == 0 && b.opt.Purpose != ForCheck {
		e := b.diag.errorf(faults.NoResource, xlang.Pos{}, "the files declare no resource")
		e.Hint = "add a file with an architecture, such as arch.x (`xopt machine -o arch.x` describes this machine), " +
			"or declare a resource: `resource proc[2] is C;`"
	}
}

// drift returns the ratio of a resource's clock to its nominal frequency, from the config ppm.
func (b *builder) drift(r *xlang.Resource) float64 {
	ppm, err := ppmOf(r)
	if err != nil {
		b.diag.errorf(faults.WrongConfigValue, r.Config["ppm"].Pos, "%s", err)
	}
	if _, err := phaseOf(r); err != nil {
		b.diag.errorf(faults.WrongConfigValue, r.Config["phase"].Pos, "%s", err)
	}
	return Drift(ppm)
}

// Processor returns the Linux processor number in a core's config cpu. named is false if the config contains no valid
// number.
func Processor(r *xlang.Resource) (cpu int, named bool) {
	v, ok := r.Config["cpu"]
	if !ok || !v.IsNumber || !(v.Number >= 0) || v.Number > maxProcessors || v.Number != math.Trunc(v.Number) {
		return 0, false
	}
	return int(v.Number), true
}

// maxProcessors exceeds the number of processors that Linux supports.
const maxProcessors = 1 << 16

// processor rejects a config cpu that is not a processor number.
func (b *builder) processor(r *xlang.Resource) {
	v, ok := r.Config["cpu"]
	if _, named := Processor(r); !ok || named || v.IsNumber && v.Number == -1 || !IsCorePlatform(b.prog, r.Platform) {
		return
	}
	b.diag.errorf(faults.WrongConfigValue, v.Pos, "cpu of resource %s is %s; expected a processor number of at least "+
		"0, or -1 for any processor", r.Name, v.Text)
}

// Simulated reports whether a resource is a simulated processor core (config xsim; Gayen 2008 Fig. 3.10). A run with
// such a core is in virtual time.
func Simulated(p *xlang.Program, resource int) bool {
	return IsCore(p, resource) && p.Resources[resource].Config["xsim"].Text == "true"
}

// simulated rejects a config xsim that is neither true nor false.
func (b *builder) simulated(r *xlang.Resource) {
	v, ok := r.Config["xsim"]
	if !ok || v.Text == "true" || v.Text == "false" || !IsCorePlatform(b.prog, r.Platform) {
		return
	}
	b.diag.errorf(faults.WrongConfigValue, v.Pos,
		`xsim of resource %s is %s; expected "true" (runs with this core are in virtual time) or "false"`,
		r.Name, v.Text)
}

// switchesAsMeasured reports whether the profile's switch costs apply to a core. They apply if the kernels of the core
// run in one process, and the X files do not state the cost of a switch.
func (b *builder) switchesAsMeasured(r int) bool {
	res := &b.prog.Resources[r]
	stated := res.Config["switch"]
	return res.Config["processes"].Text == onePerCore && !(isSet(stated) && !stated.Pos.InLibrary())
}

func (b *builder) coreSharing(r xlang.Resource, config xlang.Values) flow.Sharing {
	var s flow.Sharing
	chain := b.prog.Ancestors(r.Platform)
	if IsFPGAPlatform(b.prog, r.Platform) {
		s.Rule = flow.AreaOnly
	}
	var measured SharingFigures
	if b.opt.Profile != nil && s.Rule != flow.AreaOnly {
		var ok bool
		if measured, ok = b.opt.Profile.Sharing(chain, config["processes"].Text, config["wait"].Text,
			config["scheduler"].Text); ok {
			s.Rule, s.Origin, s.Note, s.TestError = measured.Rule, flow.Measured, b.measuredNote(), measured.TestError
			if measured.Refined != "" {
				s.Note += ": " + measured.Refined
			}
		}
	}
	if v := config["sharing"]; isSet(v) && !(s.Origin == flow.Measured && v.Pos.InLibrary()) {
		s.Origin, s.Note, s.TestError = flow.Assumed, "", 0
		rule, err := flow.ParseSharingRule(v.Text, flow.ResourceSharingRules()...)
		if err != nil {
			b.diag.errorf(faults.WrongConfigValue, v.Pos, "sharing of resource %s is %s", r.Name, err)
		} else {
			s.Rule = rule
		}
	}
	if s.Rule != flow.AreaOnly {
		rule, err := flow.ParseSharingRule(b.opt.Sharing, flow.CommonSharingRules()...)
		if err == nil && rule != s.Rule { // options reports an unknown rule
			s.Rule, s.Origin, s.Note, s.TestError = rule, flow.Assumed, commandLineNote, 0
		}
	}
	if s.Rule != flow.AreaOnly {
		s.SwitchCost, s.SwitchInterval = measured.SwitchCost, measured.Interval
	}
	if v := config["switch"]; isSet(v) && !(measured.SwitchKnown && v.Pos.InLibrary()) {
		s.SwitchCost, s.SwitchInterval = b.quantity(v, with(units.ParseTime), "switch of resource "+r.Name),
			flow.Interval{}
		if s.SwitchCost > 0 && s.Rule == flow.AreaOnly {
			b.diag.errorf(faults.ConfigWithoutEffect, v.Pos, "switch of resource %s has no effect: its kernels share "+
				"area and do not switch (remove switch)", r.Name)
		}
	}
	if v, ok := config["from"]; ok {
		s.Origin, s.Note = origin(v.Text), v.Text
	}
	return s
}

// optional reads a config in the same way as quantity. It returns the value of none if the config is not set.
func (b *builder) optional(v xlang.Value, parse func(string) (float64, error), what string, none float64) float64 {
	if !isSet(v) {
		return none
	}
	return b.quantity(v, with(parse), what)
}

// unreadable reports a value that cannot be parsed, with a hint.
func (b *builder) unreadable(v xlang.Value, what string, err error) {
	wrong, advice := units.Explain(err)
	b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s: %s", what, wrong).Hint = advice
}

// quantity reads a config that must be finite and nonnegative.
func (b *builder) quantity(v xlang.Value, read func(xlang.Value) (float64, error), what string) float64 {
	x, err := read(v)
	switch {
	case err != nil:
		b.unreadable(v, what, err)
	case !(x >= 0) || math.IsInf(x, 0):
		b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s is %g; expected a finite value of at least 0", what, x)
	case !flow.InRange(x):
		b.extreme(v.Pos, what, x)
	default:
		return x
	}
	return 0
}

// area returns the area of a resource, multiplied by the usable fraction.
func (b *builder) area(r xlang.Resource, config xlang.Values) (flow.Area, flow.Origin) {
	usable := defaultUsable
	if v := config["usable"]; isSet(v) {
		x, err := number(v)
		if err != nil || !(x > 0 && x <= 1) {
			b.diag.errorf(faults.WrongConfigValue, v.Pos, "usable of resource %s is %s; expected a fraction in (0, 1]",
				r.Name, v.Text)
		} else {
			usable = x
		}
	}
	var area flow.Area
	for kind := range area {
		area[kind] = math.Inf(1)
		v := config[flow.AreaKind(kind)]
		if !isSet(v) {
			continue
		}
		x, err := amount(v)
		if err != nil || !(x >= 0) {
			b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s of resource %s is %q; expected a number of at least 0, "+
				"or "+
				"inf", flow.AreaKind(kind), r.Name, v.Text)
			continue
		}
		if !flow.InRange(x) {
			b.extreme(v.Pos, flow.AreaKind(kind)+" of resource "+r.Name, x)
			continue
		}
		area[kind] = x * usable
	}
	from := flow.Published // capacities are from the part's data sheet
	if v := config["from"]; isSet(v) {
		from = origin(v.Text)
	}
	return area, from
}

// links converts the interconnect resources.
func (b *builder) links() {
	arch := &b.p.Architecture
	for _, l := range b.prog.Links {
		config := l.Config
		link := flow.Link{Name: l.Name, Type: l.Linktype, Endpoints: l.Endpoints}
		var profile LinkFigures
		if b.opt.Profile != nil {
			profile, _ = b.opt.Profile.Link(l.Name, b.prog.Ancestors(l.Linktype))
		}
		b.bandwidth(&link, config, profile)
		b.linkSharing(&link, config, profile)
		b.linkDelays(&link, config, profile)
		if b.joinsHosts(&l) {
			link.Return, link.ReturnJitter = link.Latency, link.Jitter
			link.Sends = b.work(config["send"], profile.Sends, "send of link "+link.Name)
			link.Receives = b.work(config["receive"], profile.Receives, "receive of link "+link.Name)
		} else {
			b.noWork(&l)
		}
		link.Nearest = b.yes(config["nearest"], "nearest of link "+link.Name)
		if link.Origin == flow.Measured {
			b.d.state.link(len(arch.Links), &profile)
		}
		b.directions = append(b.directions, nil)
		for _, direction := range b.duplex(l, link, config) {
			b.directions[len(b.directions)-1] = append(b.directions[len(b.directions)-1], len(arch.Links))
			arch.Links = append(arch.Links, direction)
		}
	}
}

// yes reads a config with the value yes or no.
func (b *builder) yes(v xlang.Value, what string) bool {
	switch v.Text {
	case "yes":
		return true
	case "", "no":
		return false
	}
	b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s is %q; expected yes or no", what, v.Text)
	return false
}

// rate reads a config with a positive rate in bytes/s; ok is false if it is invalid.
func (b *builder) rate(v xlang.Value, what string) (x float64, ok bool) {
	x, err := bandwidth(v)
	switch {
	case err != nil:
		b.unreadable(v, what, err)
	case !(x > 0):
		b.diag.errorf(faults.WrongConfigValue, v.Pos, "%s is %g; expected a positive rate", what, x)
	case !flow.InRange(x):
		b.extreme(v.Pos, what, x)
	default:
		return x, true
	}
	return x, false
}

// bandwidth sets the bandwidth of a link to the first available value of these: the config bandwidth, freq × width, and
// the profile's figure.
func (b *builder) bandwidth(link *flow.Link, config xlang.Values, profile LinkFigures) {
	if v := config["from"]; isSet(v) {
		link.Origin, link.Note = origin(v.Text), v.Text
	}
	if v := config["bandwidth"]; isSet(v) {
		if v.Pos.File == "" {
			link.Origin, link.Note = flow.Assumed, commandLineNote
		}
		link.Bandwidth, _ = b.rate(v, "bandwidth of link "+link.Name)
		return
	}
	if freq, width := config["freq"], config["width"]; isSet(freq) && isSet(width) {
		f, w := b.quantity(freq, number, "freq of link "+link.Name), b.quantity(width, number, "width of link "+
			link.Name)
		if f*w > 0 {
			link.Bandwidth = f * 1e6 * w / 8
			if link.Note == "" || link.Note == "assumed" {
				link.Note = fmt.Sprintf("assumed: %g MHz x %g bits, the theoretical maximum", f, w)
			}
			return
		}
	}
	if profile.Bandwidth > 0 {
		link.Bandwidth, link.Origin, link.Note = profile.Bandwidth, flow.Measured, b.measuredNote()
		link.Low, link.High, link.Unusable = profile.Low, profile.High, profile.Unusable
		if by := b.d.state.farther(profile.Distance); by > 1 {
			link.High *= by
			link.Note += fmt.Sprintf("; the distance between the cores was %.3g times the distance in the "+
				"measurement of the kernels, so the upper end of the interval is multiplied by %.3g", by, by)
		}
		if link.Unusable {
			link.Note += unusableNote
		}
		return
	}
	b.lackLinks = append(b.lackLinks, Missing{Link: link.Name})
}

// linkSharing reads sharing, overhead and bulk. A link with a cost per transfer uses bulk sharing, which is conserving
// sharing with this cost.
func (b *builder) linkSharing(link *flow.Link, config xlang.Values, profile LinkFigures) {
	s := &link.Sharing
	s.Origin, s.Note = link.Origin, link.Note
	// A zero in the user's files is a stated value; a zero in the library is only a default.
	overhead, bandwidthStated := config["overhead"], isSet(config["bandwidth"])
	overheadStated := isSet(overhead) && !overhead.Pos.InLibrary()
	s.TransferCost = b.optional(overhead, units.ParseTime, "overhead of link "+link.Name, 0)
	s.TransferBytes = b.optional(config["bulk"], units.ParseSize, "bulk of link "+link.Name, 0)
	// the profile's bandwidth and transfer cost were fitted together
	if !overheadStated && s.TransferCost == 0 && profile.TransferCost > 0 && !bandwidthStated {
		s.TransferCost, s.TransferInterval = profile.TransferCost, profile.TransferInterval
	}
	if s.TransferBytes == 0 && !bandwidthStated {
		s.TransferBytes = profile.TransferBytes
	}
	rule := flow.Conserving.String()
	v := config["sharing"]
	if isSet(v) {
		rule = v.Text
	}
	if b.opt.Sharing != "" {
		rule = b.opt.Sharing
	}
	var err error
	if s.Rule, err = flow.ParseSharingRule(rule, flow.LinkSharingRules()...); err != nil {
		b.diag.errorf(faults.WrongConfigValue, v.Pos, "sharing of link %s is %s", link.Name, err)
	}
	if s.TransferCost != 0 && s.Rule == flow.Conserving {
		s.Rule = flow.Bulk
	}
}

// linkDelays reads latency, jitter and flush. The profile may contain the latency. A flush requires a bulk.
func (b *builder) linkDelays(link *flow.Link, config xlang.Values, profile LinkFigures) {
	link.Latency = b.optional(config["latency"], units.ParseTime, "latency of link "+link.Name, profile.Latency)
	link.Jitter = b.optional(config["jitter"], units.ParseTime, "jitter of link "+link.Name, 0)
	v := config["flush"]
	link.Flush = b.optional(v, units.ParseTime, "flush of link "+link.Name, 0)
	if link.Flush > 0 && link.Sharing.TransferBytes == 0 {
		b.diag.errorf(faults.FlushWithoutBulk, v.Pos, "flush of link %s has no effect, because transfers without "+
			"bulk never wait", link.Name).Hint = `set bulk, such as bulk="4KiB", or remove flush`
		link.Flush = 0
	}
}

// work returns the work of a core to send or receive data. A config v in s/byte overrides the measured value.
func (b *builder) work(v xlang.Value, measured flow.Work, what string) flow.Work {
	if !isSet(v) {
		return measured
	}
	return flow.Work{PerByte: b.quantity(v, with(units.ParseTime), what)}
}

// noWork rejects the configs send and receive of a link that connects no hosts, because they would have no effect.
func (b *builder) noWork(l *xlang.Link) {
	for _, name := range []string{"send", "receive"} {
		if v := l.Config[name]; isSet(v) {
			b.diag.errorf(faults.HostCostWithoutHost, v.Pos, "%s of link %s has no effect: it is a cost of links "+
				"between hosts, and this link connects no hosts", name, l.Name).Hint =
				`name the hosts of its cores: resource proc is C (host="node1"), or remove ` + name
		}
	}
}

// measuredNote returns the source note of a figure from the profile.
func (b *builder) measuredNote() string { return "measured: " + b.opt.Profile.Describe() }

// simulatedNote returns the source note of a figure from a simulation of hardware. Such a figure is the same on every
// machine.
func (b *builder) simulatedNote() string { return "simulated: " + filepath.Base(b.opt.Profile.Path()) }
