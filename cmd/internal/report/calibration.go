package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/calibrate"
	"xopt/calibrate/elsewhere"
	"xopt/deploy/trace"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// Calibration shows the measurements of isolated kernels, of links and of shared cores.
func Calibration(p *profile.Profile) []Part {
	s := &script{}
	s.machine(p)
	s.parts = append(s.parts, profileTables(p)...)
	return s.parts
}

// machine adds the machine of a profile and its disturbances.
func (p *script) machine(of *profile.Profile) {
	p.lead("Machine", "%s", machineAndCompiler(&of.Machine))
	if text := of.Disturbance(); text != "" {
		p.lead("Disturbed", "%s: calibrate again on a quiet machine", text)
	}
}

// Machine describes the machine on which benchmarks ran.
func Machine(m *profile.Machine) Part {
	return Part{Lead: &Lead{"Machine", machineName(m)}}
}

func machineName(m *profile.Machine) string {
	return fmt.Sprintf("%s, %s, %s", m.CPU, count(m.Cores, "core"), m.Kernel)
}

// machineAndCompiler describes a machine and its C compiler, if the compiler is known.
func machineAndCompiler(m *profile.Machine) string {
	if m.Compiler == "" {
		return machineName(m)
	}
	return machineName(m) + ", " + m.Compiler
}

func profileTables(p *profile.Profile) []Part {
	parts := append(tableParts(kernelsOnCores(p), costsInPlace(p), referenceProbes(p)), kernelsInHardware(p)...)
	parts = append(parts, tableParts(contentionTable(p), linkSamples(p), sharingSamples(p))...)
	if p.Copies != nil {
		parts = append(parts, tableParts(copiesCosts(p))...)
	}
	return parts
}

// kernelsOnCores lists kernels that were measured alone on cores.
func kernelsOnCores(p *profile.Profile) *Table {
	t := &Table{ID: "profile", Title: "Kernels: measured alone, each with the recorded data of its inputs",
		Columns: []Column{name("kernel"), name("platform"), rate("μ").own().about("service rate of the kernel alone"),
			percents("±").about("half the width of the 95 % confidence interval of μ, relative to μ"),
			rate("μ from").own().about("lower end of the 95 % confidence interval of μ").detail(),
			rate("μ to").own().about("upper end of the 95 % confidence interval of μ").detail(), number("windows"),
			percents("undisturbed").about("share of undisturbed windows. xopt corrects the other windows by the " +
				"slowdown of the reference load, in proportion to the kernel's sensitivity. disturbed: other " +
				"programs used the kernel's processor"),
			time("service time").own(),
			number("co-located").about("slowdown of a firing when other kernels use the core; ≤: not " +
				"distinguishable from 0, upper end of the 95 % confidence interval; -: no interval"),
			size("firing").own().about("bytes of a firing"), number("scv").about("squared coefficient of variation " +
				"of the service time"),
			number("gain").about("output bytes per input byte")}}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.How != "" { // kernelsInHardware shows it
			continue
		}
		precision, from, to, windows := dash(), dash(), dash(), 0
		service, coLocation := dash(), dash()
		if f := k.ServiceRate; f != nil {
			windows = f.N
			if low, high, ok := f.Interval(); ok {
				from, to = figure(low), figure(high)
			}
			switch half, ok := f.Precision(); {
			case f.Value == 0:
			case ok && half > 1:
				precision = value("more than 100", half)
			case ok:
				precision = value(units.Share(half), half)
			case f.AtLeast:
				precision = text("bound")
			default:
				precision = text("no interval")
			}
			if k.FiringBytes != nil {
				service = figure(k.FiringBytes.Value / f.Value)
				if f.AtLeast {
					service = service.before("≤ ")
				}
			}
			if k.CoLocationCost != nil {
				coLocation = coLocated(k.CoLocationCost, f.Value)
			}
		}
		t.add(text(cmp.Or(k.Instance, k.Block)), text(k.Platform), bounded(k.ServiceRate), precision, from, to,
			integer(windows), undisturbed(k), service,
			coLocation, bounded(k.FiringBytes), plain(k.ServiceSCV), plain(k.Gain))
	}
	if list := Extrapolated(p); len(list) > 0 {
		t.Note = "(the machine was slow in all windows of " + strings.Join(design.Ranges(list), ", ") +
			": the undisturbed rates of these kernels are extrapolated)"
	}
	return t.scaled()
}

// Extrapolated lists the kernels whose rates were extrapolated because the machine was slow in all windows.
func Extrapolated(p *profile.Profile) []string {
	var list []string
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.Undisturbed.Extrapolated() && k.ServiceRate != nil && !k.ServiceRate.AtLeast {
			list = append(list, cmp.Or(k.Instance, k.Block))
		}
	}
	return list
}

// Precision returns the relative half-width of a figure's 95 % confidence interval, such as "± 1.25 %". Without an
// interval, it returns "at least" for a lower bound and "no interval" for other figures.
func Precision(f *profile.Figure) string {
	switch half, ok := f.Precision(); {
	case ok && half > 1:
		return "± > 100 %"
	case ok:
		return "± " + units.Percent(half)
	case f.AtLeast:
		return "at least"
	}
	return "no interval"
}

// undisturbed shows the fraction of a kernel's windows in which the machine was undisturbed. A window in which another
// process used the kernel's processor counts as disturbed at any speed of the machine.
func undisturbed(k *profile.Kernel) Cell {
	g := k.Undisturbed
	switch {
	case k.IsDisturbed():
		return text("disturbed")
	case g == nil || g.Windows == 0:
		return dash()
	}
	in := float64(g.Good) / float64(g.Windows)
	return value(fmt.Sprintf("%.0f", 100*in), in)
}

// referenceProbes shows the speed of the machine during the measurement of kernels.
func referenceProbes(p *profile.Profile) *Table {
	t := &Table{ID: "reference", Title: "Reference load: fixed probes that alternate with the kernels, measured",
		Columns: []Column{name("probe").about("resource that the probe keeps busy"),
			time("undisturbed time").own().about("lower mode of the times of the probe"),
			percents("undisturbed").about("share of windows in which the probe was at most 5 % slower than " +
				"undisturbed"),
			percents("spread").about("half the width of the range that contains 95 % of the runs")}}
	r := p.Reference
	if r == nil {
		return t
	}
	for _, f := range r.Probes {
		t.add(text(f.Name), figure(f.Good), value(fmt.Sprintf("%.0f", 100*f.Undisturbed), f.Undisturbed),
			value(units.Share(f.Spread), f.Spread))
	}
	repeats := fmt.Sprintf("%s: too few to determine the run-to-run variation of this machine", count(r.Runs, "run"))
	if part, ok := r.Repeats(); ok {
		repeats = fmt.Sprintf("run-to-run variation of the reference load: %s", units.Percent(part))
	}
	t.Note = "(" + repeats + "; the service rates of kernels are corrected to an undisturbed machine"
	if d := r.Distance; d != nil {
		t.add(text("from core to core"), figure(d.Good),
			value(fmt.Sprintf("%.0f", 100*d.Undisturbed), d.Undisturbed), dash())
		t.Note += "; from core to core: transfer time of a cache line"
		if d.FarApart > 0 {
			t.Note += fmt.Sprintf(", %s between distant cores", units.Time(d.FarApart))
		}
	}
	t.Note += ")"
	return t.scaled()
}

// coLocated shows a cost in s/byte relative to the service time. If the cost is not distinguishable from 0, it shows
// the upper bound.
func coLocated(cost *profile.Figure, mu float64) Cell {
	low, high, ok := cost.Interval()
	switch {
	case ok && low <= 0 && high > 0:
		return signed(high * mu).before("≤ ")
	case cost.Value == 0 && (!ok || high > low):
		return dash()
	}
	return signed(cost.Value * mu)
}

// bounded shows a measured figure with its interval. "≥" marks a lower bound.
func bounded(f *profile.Figure) Cell {
	if f == nil {
		return dash()
	}
	c := figure(f.Value)
	if low, high, ok := f.Interval(); ok {
		c = c.withInterval(low, high)
		c.estimate = true
	}
	if f.AtLeast {
		c = c.before("≥ ")
	}
	return c
}

// plain shows a measured figure without a unit.
func plain(f *profile.Figure) Cell {
	c := bounded(f)
	if f != nil {
		c.Text, c.scaled = c.Text+fmt.Sprintf("%.3g", f.Value), false
	}
	return c
}

// kernelsInHardware lists kernels that were measured on FPGAs, and the methods of measurement.
func kernelsInHardware(p *profile.Profile) []Part {
	t := &Table{ID: "profile-hardware",
		Title: "Kernels in hardware: RTL simulation with the recorded data of each input; areas synthesized out of " +
			"context", Columns: []Column{name("kernel"), name("on"),
			rate("μ").own().about("service rate of the kernel alone"),
			number("scv").about("squared coefficient of variation of the service time"),
			number("gain").about("output bytes per input byte"), number("LUT"), number("FF"),
			number("BRAM"), number("DSP"),
			number("f_max").in("Hz").own()}}
	var ways []string
	names := make(map[string][]string)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if k.How == "" || k.ServiceRate == nil {
			continue
		}
		if !slices.Contains(ways, k.How) {
			ways = append(ways, k.How)
		}
		names[k.How] = append(names[k.How], k.Instance)
		where := k.Platform
		if k.Resource != "" {
			where = k.Resource
		}
		lut, ff, bram, dsp, clock := dash(), dash(), dash(), dash(), dash()
		if a := k.Area; a != nil {
			lut, ff, bram, dsp = integer(a.LUT), integer(a.FF), digits(a.BRAM, 3), integer(a.DSP)
		}
		if k.MaxClock != nil {
			clock = figure(k.MaxClock.Value)
		}
		t.add(text(k.Instance), text(where), figure(k.ServiceRate.Value), plain(k.ServiceSCV), plain(k.Gain), lut, ff,
			bram,
			dsp, clock)
	}
	parts := append(tableParts(t.scaled()), cyclesAlone(p)...)
	for _, how := range ways {
		who := "all kernels"
		if len(ways) > 1 {
			who = strings.Join(names[how], ", ")
		}
		parts = append(parts, Part{Text: who + ": " + how})
	}
	return parts
}

// linkSamples shows the transfer times of messages of several sizes, and the fitted times.
func linkSamples(p *profile.Profile) *Table {
	t := &Table{ID: "links",
		Title: "Links: measured transfer times of messages, fitted as a cost per message plus bytes / bandwidth",
		Columns: []Column{name("link"), name("where"),
			size("message").own(),
			time("time").own(), time("fitted").own(),
			number("residual").about("fitted time relative to the measured time, minus 1"), rate("rate").own()}}
	var notes []string
	for i := range p.Links {
		l := &p.Links[i]
		called := text(cmp.Or(l.Link, l.Linktype))
		for j := range l.Samples {
			s := &l.Samples[j]
			if s.LeftOut {
				notes = append(notes, fmt.Sprintf("the fit of %s %s omits messages of %s: they took %.3g times as "+
					"long as predicted from the other sizes, because of a disturbance", called.Text, l.Where,
					units.Size(s.Bytes), s.Seconds/s.Fitted))
			}
			if s.Corrected > 0 {
				notes = append(notes, fmt.Sprintf("%s %s, messages of %s: measured %s while the cores were far "+
					"apart, and corrected by a factor of %.3g, the slowdown of the other "+
					"sizes", called.Text, l.Where, units.Size(s.Bytes),
					units.Time(s.Seconds*s.Corrected), s.Corrected))
			}
			t.add(called, text(l.Where), figure(s.Bytes), figure(s.Seconds), figure(s.Fitted),
				signed(s.Fitted/s.Seconds-1), figure(s.Bytes/s.Seconds))
		}
		if absurd, windows := l.Absurd(); absurd > 0 {
			notes = append(notes, fmt.Sprintf("%s %s: %d of %d windows omitted because of impossible or outlying rates",
				called.Text, l.Where, absurd, windows))
		}
		t.add(called, text(l.Where), text("any (fitted)"), bounded(l.TransferCost).before("each "),
			text("plus its bytes at"), text(""), bounded(l.Bandwidth))
		if l.Latency != nil {
			t.add(called, text(l.Where), text("latency"), bounded(l.Latency), text(""), text(""), text(""))
			note := "latency: transfer time of an element from core to core, measured as half of the round trip in a " +
				"loop without work"
			if l.Send != nil {
				note = "latency between hosts: half of a message's round trip, including the wake-up of processes; " +
					"carrying: processor time to send or receive data, which predictions add to the load of the core"
			}
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
		for _, side := range []struct {
			what string
			cost *profile.Figure
		}{{"carrying 1 kB, sending", l.Send}, {"carrying 1 kB, receiving", l.Receive}} {
			if side.cost != nil {
				t.add(called, text(l.Where), text(side.what), figure(1e3*side.cost.Value), text(""), text(""), text(""))
			}
		}
	}
	if len(notes) > 0 {
		t.Note = "(" + strings.Join(notes, "; ") + ")"
	}
	return t.scaled()
}

// sharingSamples compares measured pipelines on one core with two sharing rules.
func sharingSamples(p *profile.Profile) *Table {
	t := &Table{ID: "sharing-samples",
		Title: "Sharing: measured pipelines of kernels on one core, and the errors of two models without switch costs",
		Columns: []Column{name("platform"), name("kernels"),
			number("elements/s"),
			number("conserving").about(conservingMeaning), number("equal").about(equalMeaning)}}
	for i := range p.Sharing {
		s := &p.Sharing[i]
		for j := range s.Pipelines {
			x := &s.Pipelines[j]
			var times []string
			for _, each := range x.Times {
				times = append(times, units.Time(each))
			}
			t.add(text(s.Platform), text(strings.Join(times, ", ")), compact(x.Rate),
				signed(x.Modelled.Conserving/x.Rate-1), signed(x.Modelled.Equal/x.Rate-1))
		}
		cost := dash()
		if s.SwitchCost != nil {
			cost = text(units.Time(s.SwitchCost.Value) + " per switch")
		}
		t.add(text(s.Platform), text(s.Model+testWords(s)), cost, part(s.Error).before("within "), text(""))
	}
	return t
}

// testWords describes the basis of a sharing rule: the test on the machine, or the scheduler together with the result
// of the test.
func testWords(s *profile.Sharing) string {
	switch s.Test {
	case profile.SharingConfirmed:
		return ", the rule of its scheduler; this test confirms it"
	case profile.SharingOpen:
		if profile.IsCrowded(s.Others) {
			return fmt.Sprintf(", the rule of its scheduler; this test is inconclusive, because other programs used "+
				"%.1f processors",
				s.Others)
		}
		return ", the rule of its scheduler; this test neither confirms nor excludes it"
	case profile.SharingExcluded:
		return ", chosen by this test, which excludes the rule of its scheduler"
	}
	return ", with the least error in this test"
}

// copiesCosts shows the costs of copies of kernels on cores.
func copiesCosts(p *profile.Profile) *Table {
	t := &Table{ID: "copies", Title: "Copies of kernels: measured cost of each batch of a copy, in addition to " +
		"work and transfers between cores", Columns: []Column{name("cost"), name("per batch"),
		name("95 % confidence interval")}}
	for _, x := range []struct {
		what string
		cost *profile.Figure
	}{{"dividing a stream", &p.Copies.Divide}, {"collecting the output of copies", &p.Copies.Collect}} {
		interval := dash()
		if low, high, ok := x.cost.Interval(); ok {
			interval = text(units.Time(low) + " to " + units.Time(high))
		}
		t.add(text(x.what), text(units.Time(x.cost.Value)), interval)
	}
	return t
}

// Differences lists the figures that differ between two profiles.
func Differences(first, second string, list []profile.Difference) *Table {
	t := &Table{ID: "differences", Title: fmt.Sprintf("Figures of %s and %s whose 95 %% confidence intervals "+
		"do not overlap", first, second), Columns: []Column{name("kernel"), name("figure"),
		number("first"),
		number("second"), number("change")}}
	for i := range list {
		l := &list[i]
		if l.Rules != [2]string{} {
			t.add(text(l.Kernel), text(l.What), text(l.Rules[0]), text(l.Rules[1]), dash())
			continue
		}
		t.add(text(l.Kernel), text(l.What), compared(l.What, l.A.Value), compared(l.What, l.B.Value),
			signed(l.Relative()))
	}
	return t
}

// compared shows a figure in the unit of its kind.
func compared(what string, v float64) Cell {
	switch {
	case what == "service rate" || what == "bandwidth":
		return alone(v, "B/s")
	case what == "bytes of a firing":
		return alone(v, "B")
	case strings.HasSuffix(what, "cost"):
		c := digits(v*nanoseconds, 3)
		c.Unit, c.Value = "ns/B", v
		return c
	}
	return digits(v, 3)
}

// CheckHead returns the answer of a profile check: whether the service rates are still valid.
func CheckHead(path string, list []calibrate.Holding) []Part {
	s := &script{}
	named := make(map[calibrate.Verdict][]string)
	for i := range list {
		h := &list[i]
		name := fmt.Sprintf("%s (%s)", h.Kernel, units.Change(h.Change))
		if h.Reason != "" {
			name = fmt.Sprintf("%s (%s: %s)", h.Kernel, units.Change(h.Change), h.Reason)
		}
		named[h.Verdict] = append(named[h.Verdict], name)
	}
	part := func(v calibrate.Verdict) string {
		return fmt.Sprintf("%d of %s in %s: %s", len(named[v]), count(len(list), "service rate"), path,
			strings.Join(first(named[v], maxNamed), ", "))
	}
	changed, uncertain := calibrate.Counts(list)
	if changed > 0 {
		s.lead("Changed", "%s", part(calibrate.RateChanged))
	}
	if uncertain > 0 {
		s.lead("Undetermined", "%s", part(calibrate.RateUncertain))
	}
	if changed+uncertain == 0 {
		s.lead("Unchanged", "all %s that were measured again match the rates in %s", count(len(list),
			"service rate"), path)
	}
	return s.parts
}

// MeasuredAgain compares new service rates with the service rates of a profile.
func MeasuredAgain(path string, list []calibrate.Holding) *Table {
	t := &Table{ID: "again", Title: "Service rates: measured again, compared with " + path, Columns: []Column{
		name("kernel"), rate("profile").own(),
		percents("profile ±").about("half the width of the 95 % confidence interval of the rate in the profile"),
		rate("now").own(),
		percents("now ±").about("half the width of the 95 % confidence interval of the new rate"),
		number("change"), name("verdict")}}
	half := func(f *profile.Figure) Cell {
		if part, ok := f.Precision(); ok {
			return percent(part)
		}
		return dash()
	}
	for i := range list {
		h := &list[i]
		verdict, hot := string(h.Verdict), h.Verdict == calibrate.RateChanged
		if hot {
			verdict = strings.ToUpper(verdict)
		}
		t.add(text(h.Kernel), bounded(&h.Old), half(&h.Old), bounded(&h.New), half(&h.New), signed(h.Change),
			text(verdict)).Hot = hot
	}
	return t.scaled()
}

// Elsewhere returns a table of the service times and waiting times of kernels from a trace of another system.
func Elsewhere(list []elsewhere.Figures, h *trace.Header) *Table {
	t := &Table{ID: "elsewhere", Title: "Kernels, " + h.Origin, Columns: []Column{name("kernel"), name("on"),
		name("rule").fold(50), number("runs"),
		rate("μ alone").about("service rate of the kernel alone on its resource"),
		number("scv").about("squared coefficient of variation of the service times"),
		number("gain").about("output bytes per input byte"),
		time("execution").about("mean time from the consumption of the last input until the last output is sent"),
		time("wait").about("mean time from the arrival of all inputs of a run to the consumption of the last input")}}
	for i := range list {
		f := &list[i]
		on := cmp.Or(f.On, f.Resource, f.Platform)
		mu, scv, gain := dash(), dash(), dash()
		if f.ServiceRate != nil {
			mu, scv = figure(f.ServiceRate.Value).from(trace.OriginWord(f.Elsewhere)), digits(f.ServiceSCV.Value, 3)
		}
		if f.Gain != nil {
			gain = digits(f.Gain.Value, 3)
		}
		elapsed := dash()
		if f.Service.N > 0 {
			elapsed = figure(f.Service.Mean)
		}
		t.add(text(f.Instance), text(on), text(f.Rule), integer(f.Runs), mu, scv, gain, elapsed, figure(f.Wait.Mean))
	}
	return t.scaled()
}
