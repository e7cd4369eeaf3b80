package paper

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"xopt/flow/profile"
	"xopt/internal/units"
)

// WriteExperiments writes the results of the papers' experiments as a Markdown page that compares them with the
// published results.
func (p *Results) WriteExperiments(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The papers' experiments, repeated\n\nMeasured by `xbench paper` on %s, %d cores, %s.\n",
		p.Machine.CPU, p.Machine.Cores, p.Machine.Kernel)
	if slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Settings.Short }) {
		b.WriteString("\n**Short version (--short): the figures are not significant.**\n")
	}
	p.writeParts(&b)
	b.WriteString("\nErrors are (modelled - measured) / measured. The model uses figures of kernels that were " +
		"measured alone,\nbefore and after the runs of the mappings, and no figures of mappings.\n\"Equal\" is the " +
		"sharing rule of the papers (Beard 2013, Eq. 9). \"Conserving\" is the rule that xopt recommends " +
		"for\nprocesses that schedule their kernels. Both are flow bounds: they assume unlimited buffers, as in the " +
		"papers,\nbut the runs have finite buffers.\n")
	p.writeSchedulers(&b)
	writeFlows(&b, "Fig. 15: synthetic applications", "R² .9999 over forty applications of 3 to 82 kernels on 12 "+
		"cores and 2 FPGAs; throughputs\n\"typically within 10 % of reality\"", p.Synthetic)
	var others []*Study
	for _, s := range p.Real {
		switch s.Name {
		case "jpeg":
			writeFlows(&b, "Fig. 16: JPEG encoding", "a distribution similar to that of Fig. 15", []*Study{s})
		case "des":
			writeFlows(&b, "Fig. 17: DES encryption", "a distribution similar to that of Fig. 15", []*Study{s})
		default:
			others = append(others, s)
		}
	}
	writeFlows(&b, "Applications that are not in the papers", "", others)
	p.writeChoices(&b)
	writeQueues(&b, "Fig. 18: queues of synthetic applications", "modelled sizes always larger than measured, by "+
		"about 1000 %", 10, p.Synthetic)
	for _, s := range p.Real {
		switch s.Name {
		case "jpeg":
			writeQueues(&b, "Fig. 19: queues of JPEG encoding", "modelled sizes larger, by about 10 %", 0.1,
				[]*Study{s})
		case "des":
			writeQueues(&b, "Fig. 20: queues of DES encryption", "modelled sizes larger, by about 100 %", 1,
				[]*Study{s})
		}
	}
	writeQueues(&b, "Queues of the other applications", "", 1, others)
	writeSizes(&b, slices.Concat(p.Synthetic, p.Real))
	p.writeJackson(&b)
	p.writeCases(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeParts writes a table with the date, the options, and the stability of the machine in each experiment.
func (p *Results) writeParts(b *strings.Builder) {
	names := map[string]string{"14": "Fig. 14", "15": "Figs. 15, 18", "16": "Figs. 16, 19", "17": "Figs. 17, 20",
		"others": "other applications", "ch7": "Lancaster ch. 7"}
	var rows [][]string
	for _, x := range p.Parts {
		m, minimum := profile.MedianOf(x.Spin), slices.Min(x.Spin)
		runs := fmt.Sprintf("%d of %s", x.Settings.Runs, x.Settings.Window)
		if x.Experiment == "14" || x.Experiment == "ch7" {
			runs = "1"
		}
		rows = append(rows, []string{names[x.Experiment], x.Began.UTC().Format("2006-01-02 15:04 UTC"), runs,
			fmt.Sprint(x.Settings.Seed), units.Time(minimum), fmt.Sprintf("%+.1f %%", 100*(m.Value/minimum-1)),
			fmt.Sprintf("%+.1f %%", 100*(slices.Max(x.Spin)/minimum-1))})
	}
	table(b, []string{"experiment", "start", "runs of each mapping", "seed", "fixed workload, fastest",
		"median", "slowest"}, rows)
}

// writeChoices writes a table that compares the first candidate of the search with the best mapping of each
// application.
func (p *Results) writeChoices(b *strings.Builder) {
	if len(p.Real) == 0 {
		return
	}
	b.WriteString("\n## First candidate of the search, compared with the best mapping\n")
	var rows [][]string
	for _, s := range p.Real {
		if s.Fail != "" {
			continue
		}
		regret, tau := "-", "-"
		if s.Summary.Regret != nil {
			regret = percent(*s.Summary.Regret)
		}
		if s.Summary.Kendall != nil {
			tau = fmt.Sprintf("%.2f", *s.Summary.Kendall)
		}
		rows = append(rows, []string{s.Name, fmt.Sprint(s.Summary.Cases), percent(s.Summary.Median),
			percent(s.Summary.Worst), tau, regret, percent(s.Summary.EqualMedian)})
	}
	table(b, []string{"application", "mappings", "median error", "worst", "Kendall τ",
		"regret of the first candidate", "median error, equal"}, rows)
}

// writeCases writes a table of all mappings.
func (p *Results) writeCases(b *strings.Builder) {
	studies := slices.Concat(p.Real, p.Synthetic)
	if len(studies) == 0 {
		return
	}
	b.WriteString("\n## All mappings\n")
	var rows [][]string
	for _, s := range studies {
		for i := range s.Cases {
			c := &s.Cases[i]
			if c.Fail != "" {
				rows = append(rows, []string{s.Name, fmt.Sprint(s.Kernels), c.Name, units.Rate(c.Predicted),
					"failed: " + c.Fail, "", "", ""})
				continue
			}
			rows = append(rows, []string{s.Name, fmt.Sprint(s.Kernels), c.Name, units.Rate(c.Predicted),
				units.Rate(c.Measured), fmt.Sprintf("%+.2f %%", 100*c.Error()), fmt.Sprintf("%+.1f %%",
					100*(c.Equal/c.Measured-1)), c.Reason})
		}
	}
	table(b, []string{"application", "kernels", "mapping", "predicted", "measured", "error", "error, equal", "reason"},
		rows)
}
