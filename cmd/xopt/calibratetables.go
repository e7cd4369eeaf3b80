package main

import (
	"fmt"
	"io"
	"strings"

	"xopt/calibrate/profile"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/internal/view/text"
)

// profileTable prints what was measured.
func profileTable(w io.Writer, style text.Style, p *profile.Profile) error {
	percent := func(f *profile.Figure) string {
		if f == nil || f.Value == 0 {
			return "-"
		}
		if p, ok := f.Precision(); ok {
			return fmt.Sprintf("%.2f", 100*p)
		}
		if f.AtLeast {
			return "bound"
		}
		return "no interval"
	}
	value := func(f *profile.Figure, print func(float64) string) string {
		switch {
		case f == nil:
			return "-"
		case f.AtLeast:
			return "≥ " + print(f.Value)
		}
		return print(f.Value)
	}
	plain := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	var rows [][]string
	for _, k := range p.Kernels {
		if k.How != "" { // hardwareTable has it
			continue
		}
		time := "-"
		if k.ServiceRate != nil && k.FiringBytes != nil {
			time = units.Time(k.FiringBytes.Value / k.ServiceRate.Value)
			if k.ServiceRate.AtLeast {
				time = "≤ " + time
			}
		}
		rows = append(rows, []string{k.Instance, k.Platform, value(k.ServiceRate, units.Rate), percent(k.ServiceRate),
			fmt.Sprint(figureN(k.ServiceRate)),
			time, company(k), value(k.FiringBytes, units.Size), value(k.ServiceSCV, plain), value(k.Gain, plain)})
	}
	if _, err := fmt.Fprintf(w, "Machine  %s, %d cores, %s, %s\n", p.Machine.CPU, p.Machine.Cores, p.Machine.Kernel,
		p.Machine.Compiler); err != nil {
		return err
	}
	return text.WriteTable(w, view.FromText("Kernels: measured alone, each fed with what its inputs carried",
		[]string{"kernel", "platform", "μ", "± %", "windows", "service time", "in company", "firing", "scv", "gain"},
		rows), style)
}

// company is how much longer a firing takes when other kernels use the core.
func company(k profile.Kernel) string {
	if k.CompanyCost == nil || k.ServiceRate == nil {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*k.CompanyCost.Value*k.ServiceRate.Value)
}

func figureN(f *profile.Figure) int {
	if f == nil {
		return 0
	}
	return f.N
}

// machineTables prints what was measured of the machine beside its kernels.
func machineTables(w io.Writer, style text.Style, p *profile.Profile) error {
	var rows [][]string
	for i := range p.Links {
		l := &p.Links[i]
		for j := range l.Samples {
			s := &l.Samples[j]
			rows = append(rows, []string{l.Linktype, l.Where, units.Size(s.Bytes), units.Time(s.Seconds),
				units.Time(s.Fitted), fmt.Sprintf("%+.0f %%", 100*(s.Fitted/s.Seconds-1)),
				units.Rate(s.Bytes / s.Seconds)})
		}
		rows = append(rows, []string{l.Linktype, l.Where, "fit", units.Time(l.TransferCost.Value) + " each",
			"and bytes at", "", units.Rate(l.Bandwidth.Value)})
	}
	if len(rows) > 0 {
		if err := text.WriteTable(w, view.FromText("Links: measured, a message written at one end and read at the "+
			"other; "+
			"fitted as a cost for each and bytes over bandwidth", []string{"link", "where", "message", "time", "fitted",
			"residual", "rate"}, rows), style); err != nil {
			return err
		}
	}
	rows = nil
	for i := range p.Sharing {
		s := &p.Sharing[i]
		for j := range s.Pipelines {
			x := &s.Pipelines[j]
			var times []string
			for _, t := range x.Times {
				times = append(times, units.Time(t))
			}
			rows = append(rows, []string{s.Platform, strings.Join(times, ", "), units.Count(x.Rate),
				fmt.Sprintf("%+.1f %%", 100*(x.Modelled.Conserving/x.Rate-1)), fmt.Sprintf("%+.1f %%",
					100*(x.Modelled.Equal/x.Rate-1))})
		}
		cost := "-"
		if s.SwitchCost != nil {
			cost = units.Time(s.SwitchCost.Value) + " a switch"
		}
		rows = append(rows, []string{s.Platform, "recommended: " + s.Model, cost, fmt.Sprintf("within %.1f %%",
			100*s.Error), ""})
	}
	if len(rows) == 0 {
		return nil
	}
	return text.WriteTable(w, view.FromText("Sharing: pipelines of kernels on one core, measured, and the errors of "+
		"two "+
		"models without switch costs", []string{"platform", "kernels", "elements/s", "conserving", "equal"}, rows),
		style)
}
