package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// runUsed lists the resources and links of a run with their measured and predicted utilizations.
func runUsed(m *result.Measured, predicted *result.Candidate) *Table {
	t := &Table{ID: "run-used", Title: "Resources and links: " + how(m) + " in the run (links: from the transferred " +
		"bytes)",
		Columns: []Column{name("name"), number("sharers").spare(1), percents("in use")}}
	of := make(map[string]result.Share)
	if predicted != nil {
		t.Columns = append(t.Columns, percents("predicted"))
		for _, s := range append(append([]result.Share(nil), predicted.Resources...), predicted.Links...) {
			of[s.Name] = s
		}
	}
	t.Columns = append(t.Columns, rate("carried"), rate("bandwidth"), name("busiest").spare(2))
	limits := limited(m)
	estimated, exceeded := false, []string(nil)
	for i := range m.Used {
		x := &m.Used[i]
		use, busiest := share(x.Utilization).bar(), x.Busiest
		if x.Estimated {
			use, estimated = use.before("about "), true
		}
		if faulty(m, x.Name) {
			use, busiest = text(unfinished), m.FaultOf
		}
		if x.IsLink && (x.Bandwidth == 0 || x.Exceeded > 0) {
			use = dash()
		}
		if x.Exceeded > 0 {
			exceeded = append(exceeded, exceededWords(x))
		}
		carried, bandwidth := dash(), dash()
		if x.IsLink {
			carried = figure(x.Rate)
			if x.Bandwidth > 0 {
				bandwidth = figure(x.Bandwidth).from(x.Origin)
			}
		}
		cells := []Cell{text(x.Name), integer(x.Sharers), use}
		if predicted != nil {
			p := dash()
			if s, ok := of[x.Name]; ok {
				p = share(min(s.Utilization*predicted.Kept(), 1))
			}
			cells = append(cells, p)
		}
		row := t.add(append(cells, carried, bandwidth, text(busiest))...)
		row.Hot, row.Load = slices.Contains(limits, x), x.Utilization
	}
	if estimated {
		t.Note = "(about 100 %: the measured value exceeds 100 % because calls of kernels on a shared core overlap)"
	}
	for _, text := range exceeded {
		t.Note = strings.TrimSpace(t.Note + " (" + text + ")")
	}
	return t.scaled()
}

// faulty reports whether a resource runs the kernel whose fault ended the run.
func faulty(m *result.Measured, resource string) bool {
	return m.FaultOf != "" && slices.ContainsFunc(m.Place, func(p result.Placement) bool {
		return p.Kernel == m.FaultOf && p.Resource == resource
	})
}

// exceededWords describes by how much a run exceeded the bandwidth of a link.
func exceededWords(x *result.MeasuredUse) string {
	return fmt.Sprintf("%s carried %s, %.3g times its bandwidth of %s, so this bandwidth (%s) is too low",
		x.Name, units.Rate(x.Rate), x.Exceeded, units.Rate(x.Bandwidth), x.Origin)
}

// how returns the verb for a run's figures.
func how(m *result.Measured) string {
	if m.Simulated != "" {
		return "simulated"
	}
	return "measured"
}

// RunOrigin returns the origin of the figures of a result's runs: measured, simulated, or "" without runs.
func RunOrigin(r *result.Result) string {
	switch {
	case r.Measured != nil:
		return how(r.Measured)
	case r.Validation != nil:
		return verb(r.Validation)
	}
	return ""
}

// alikeUsed is the relative difference below which a run does not distinguish two utilizations.
const alikeUsed = 0.005

// limited returns the bottleneck of a run: the most utilized resources or links, if their utilization was high enough
// ([result.MinBusy]). An inconclusive run has no bottleneck.
func limited(m *result.Measured) []*result.MeasuredUse {
	if m.Inconclusive() {
		return nil
	}
	if list := mostUsed(m); len(list) > 0 && list[0].Utilization >= result.MinBusy {
		return list
	}
	return nil
}

// mostUsed returns the most utilized resources or links of a run, including ties; none if the run did not record
// utilizations.
func mostUsed(m *result.Measured) []*result.MeasuredUse {
	maximum := 0.0
	for i := range m.Used {
		maximum = max(maximum, m.Used[i].Utilization)
	}
	var list []*result.MeasuredUse
	for i := range m.Used {
		if x := &m.Used[i]; maximum > 0 && x.Utilization >= maximum*(1-alikeUsed) {
			list = append(list, x)
		}
	}
	return list
}

// runBottleneck returns the bottleneck of a run and its utilization; "" if unknown. If no utilization was high, note
// contains the reason, if known. An inconclusive run has no bottleneck: a firing failed, or the run consists mostly of
// its start.
func runBottleneck(m *result.Measured, predicted *result.Candidate) (names, note string) {
	if m.Inconclusive() {
		return "", ""
	}
	maximum, about := 0.0, ""
	var list, notes, busiest []string
	by := ""
	for _, x := range mostUsed(m) {
		list = append(list, x.Name)
		maximum = max(maximum, x.Utilization)
		if x.Estimated {
			about = "about "
		}
		switch {
		case x.IsLink:
			notes = append(notes, fmt.Sprintf("%s carried %s of its bandwidth of %s (%s)", x.Name, units.Rate(x.Rate),
				units.Rate(x.Bandwidth), x.Origin))
		case x.Busiest != "":
			if busiest = append(busiest, x.Busiest); x.Sharers > 1 {
				by = "mainly "
			}
		}
	}
	if len(busiest) > 0 {
		notes = append(notes, "used "+by+"by "+strings.Join(busiest, " and "))
	}
	if len(list) == 0 {
		return "", ""
	}
	names, s := strings.Join(list, " + "), "in use for "+about+units.Percent(maximum)+
		" of the run, more than any other resource or link"
	if maximum < result.MinBusy {
		names, s = "nothing was busy", fmt.Sprintf("%s; the busiest was %s, in use for %s of the run", whyIdle(m),
			names,
			about+units.Percent(maximum))
	}
	if len(notes) > 0 {
		s += "; " + strings.Join(notes, "; ")
	}
	if predicted != nil {
		s += "; predicted: " + bottleneckNames(predicted)
	}
	return names, s
}

// whyIdle describes the limit of a run in which no utilization was high, if the run measured it.
func whyIdle(m *result.Measured) string {
	worst := 0
	for i := range m.Edges {
		if m.Edges[i].Backpressure > m.Edges[worst].Backpressure {
			worst = i
		}
	}
	if len(m.Edges) > 0 && m.Edges[worst].Backpressure >= waitsLong {
		return fmt.Sprintf("waiting limits the throughput: the writer of %s waited for space for %s of the run",
			m.Edges[worst].Edge,
			units.Percent(m.Edges[worst].Backpressure))
	}
	return "a source or an unmeasured wait limits the throughput"
}
