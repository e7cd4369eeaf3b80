package paper

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"xopt/deploy/program"
	"xopt/deploy/validate"
	"xopt/internal/units"
)

func (p *Results) writeSchedulers(b *strings.Builder) {
	if len(p.Sharing) == 0 {
		return
	}
	b.WriteString("\n## Fig. 14: processes on one core\n")
	theirs(b, "R² .999854, .999952 and .766693 for the multi-level queue, batch and round robin, with 1 to 40\n"+
		"processes of 2 minutes each")
	b.WriteString("\nOurs: 1 to 40 processes that repeat 20 us of work and count the repetitions. The model is the " +
		"rate of one process\nalone, measured before and after, divided by the number of processes.\n")
	var rows [][]string
	for _, s := range []program.Scheduler{program.SchedulerOther, program.SchedulerBatch, program.SchedulerRR} {
		var errs, modelled, measured []float64
		failed := ""
		for i := range p.Sharing {
			c := &p.Sharing[i]
			if c.Scheduler != s {
				continue
			}
			if c.Fail != "" {
				failed = c.Fail
				continue
			}
			errs = append(errs, c.Errors()...)
			for _, r := range c.Rates {
				modelled, measured = append(modelled, c.Alone/float64(c.Processes)), append(measured, r)
			}
		}
		if len(errs) == 0 {
			rows = append(rows, []string{string(s), "0", "not permitted on this machine: " + failed, "", "", "", ""})
			continue
		}
		rows = append(rows, errorRow(string(s), errs, fmt.Sprintf("%.6f", validate.RSquare(modelled, measured))))
	}
	errorTable(b, rows)
}

// edgeErrors returns the relative errors of the flows on all edges in all mappings, and R², with conserving and with
// equal sharing.
func edgeErrors(studies []*Study) (conserving, equal []float64, square, equalSquare float64) {
	var predicted, papers, measured []float64
	for _, s := range studies {
		for i := range s.Cases {
			if s.Cases[i].Fail != "" {
				continue
			}
			for _, e := range s.Cases[i].Edges {
				if e.Measured > 0 && e.Predicted > 0 {
					conserving = append(conserving, e.Predicted/e.Measured-1)
					equal = append(equal, e.Equal/e.Measured-1)
					predicted, papers, measured = append(predicted, e.Predicted), append(papers, e.Equal),
						append(measured, e.Measured)
				}
			}
		}
	}
	return conserving, equal, validate.RSquare(predicted, measured), validate.RSquare(papers, measured)
}

func writeFlows(b *strings.Builder, title, papers string, studies []*Study) {
	if len(studies) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	theirs(b, papers)
	minimum, maximum, mappings, disturbed := math.MaxInt, 0, 0, 0
	for _, s := range studies {
		if s.Fail != "" {
			fmt.Fprintf(b, "\n%s failed: %s\n", s.Name, s.Fail)
			continue
		}
		minimum, maximum, mappings = min(minimum, s.Kernels), max(maximum, s.Kernels), mappings+len(s.Cases)
		if s.Disturbed {
			disturbed++
		}
	}
	fmt.Fprintf(b, "\nOurs: %d applications of %d to %d kernels, %d mappings to two cores.", len(studies), minimum,
		maximum,
		mappings)
	if disturbed > 0 {
		fmt.Fprintf(b, " The machine was disturbed during the calibration of\n"+
			"%d of them (the quartiles of a fixed workload differed by more than 5 %%).", disturbed)
	}
	b.WriteString("\n")
	var throughput, papersThroughput []float64
	for _, s := range studies {
		for i := range s.Cases {
			if c := &s.Cases[i]; c.Fail == "" {
				throughput = append(throughput, c.Error())
				papersThroughput = append(papersThroughput, c.Equal/c.Measured-1)
			}
		}
	}
	var first, rest, again []float64 // first and last run of each mapping, and their relative difference
	for _, s := range studies {
		for i := range s.Cases {
			if r := s.Cases[i].Runs; s.Cases[i].Fail == "" && len(r) > 1 {
				last := r[len(r)-1]
				first, rest, again = append(first, r[0]), append(rest, last), append(again, r[0]/last-1)
			}
		}
	}
	conserving, equal, square, equalSquare := edgeErrors(studies)
	if len(conserving) == 0 {
		b.WriteString("\nNo mapping could be measured.\n")
		return
	}
	rows := [][]string{
		errorRow("flow on an edge, conserving", conserving, fmt.Sprintf("%.6f", square)),
		errorRow("flow on an edge, equal", equal, fmt.Sprintf("%.6f", equalSquare)),
		errorRow("throughput, conserving", throughput, ""),
		errorRow("throughput, equal", papersThroughput, ""),
	}
	if len(again) > 0 {
		rows = append(rows, errorRow("first and last run of the same mapping", again,
			fmt.Sprintf("%.6f", validate.RSquare(first, rest))))
	}
	errorTable(b, rows)
	b.WriteString("\nThe last row compares two measured runs of the same mapping, a few seconds apart, without a " +
		"model.\n")
	histogram(b, "Errors of the flow on edges, conserving", conserving, 0.015)
}

func writeQueues(b *strings.Builder, title, papers string, width float64, studies []*Study) {
	var errs []float64
	var exceeded []string
	why := make(map[string]int)
	full, tight, tightExceeded := 0, 0, 0
	for _, s := range studies {
		for i := range s.Queues {
			q := &s.Queues[i]
			errs = append(errs, q.Error())
			exceeds, because := q.Exceeds()
			if q.Utilization > 0.99 {
				full++
			} else {
				tight++
			}
			if !exceeds {
				continue
			}
			if q.Utilization <= 0.99 {
				tightExceeded++
			}
			why[because]++
			exceeded = append(exceeded, fmt.Sprintf("%s, %s, %s: modelled size %.0f at ρ = %.3f, measured size "+
				"%.0f; batches of %.3g elements, longest firing on its core %s, %s elements/s: %s", s.Name, q.Mapping,
				q.Kernel, q.Modelled, q.Utilization, q.Measured, q.Batch, units.Time(q.Pause), units.Count(q.Arrivals),
				cmp.Or(because, "NOT EXPLAINED")))
		}
	}
	if len(errs) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	theirs(b, papers)
	fmt.Fprintf(b, "\nOurs: %d queues, %d of them on cores that limit the application (ρ above 0.99). A tap records\n"+
		"every element, and kernels send elements one by one. The model is M/M/1, Eq. 8 at a probability of 1e-7.\n",
		len(errs), full)
	table(b, []string{"", "n", "mean", "median", "95 %", "worst"}, [][]string{errorRow("modelled size", errs, "")[:6]})
	fmt.Fprintf(b, "\nThe measured size exceeds the modelled size in %d of %d queues, and in %d of the %d queues with "+
		"ρ up to 0.99.\n", len(exceeded), len(errs), tightExceeded, tight)
	for _, because := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(b, "Reason in %d: %s. ", why[because], cmp.Or(because, "not explained by the measurements"))
	}
	b.WriteString("\n\n")
	for i, e := range exceeded {
		if i == 12 {
			fmt.Fprintf(b, "- %d more are in papers.json\n", len(exceeded)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", e)
	}
	histogram(b, "Error of the modelled size", errs, width)
}

func (p *Results) writeJackson(b *strings.Builder) {
	if len(p.Jackson) == 0 {
		return
	}
	b.WriteString("\n## Lancaster 2011, Tables 7.1 and 7.2: BLASTN as a Jackson network\n")
	theirs(b, "utilizations within 0.07. Mean queues, modelled and measured: 0.08 and about 0; 0.06 and 1.2; 0.12 "+
		"and 1.7; 7500\nand 580 at a saturated station with a buffer of 600 elements")
	b.WriteString("\nOurs: stage 1a on one core, the other stages and the database on the other. Arrivals are a " +
		"Poisson process.\nThe service rate and the gain of each kernel were measured alone. The model ignores " +
		"that a stage sends several\nelements at once, and that the stages of a core take turns in batches. ρ is " +
		"modelled in two ways: from μ alone, as in\nthe thesis, and including the cost of receiving from and " +
		"sending to the other core.\n")
	for _, c := range p.Jackson {
		fmt.Fprintf(b, "\n%s: λ_in = %s elements/s\n", c.Name, units.Count(c.Arrival))
		var rows [][]string
		for _, s := range c.Stations {
			queue := "unbounded"
			if s.Queue >= 0 {
				queue = fmt.Sprintf("%.3f", s.Queue)
			}
			rows = append(rows, []string{s.Kernel, units.Count(s.ServiceRate) + "/s", fmt.Sprintf("%.4f", s.Pass),
				fmt.Sprintf("%.3f", s.Utilization/(1+s.ServiceRate*s.Crossing)), fmt.Sprintf("%.3f", s.Utilization),
				fmt.Sprintf("%.3f", s.MeasuredUtilization), fmt.Sprintf("%+.3f", s.Utilization-s.MeasuredUtilization),
				queue, fmt.Sprintf("%.3f", s.MeasuredQueue)})
		}
		table(b, []string{"station", "μ", "elements sent per element received", "ρ from μ alone", "ρ modelled",
			"ρ measured", "error", "N_Q modelled", "N_Q measured"}, rows)
	}
}
