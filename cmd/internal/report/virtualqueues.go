package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/bench/micro"
)

// VirtualQueues are estimates of virtual queues beside the truth.
func VirtualQueues(cases []micro.VirtualQueueCase, elements uint64) *Table {
	t := &Table{ID: "virtual-queues", Title: fmt.Sprintf("Queues of %d elements each in virtual time: estimated from "+
		"what agents at both ends see, beside the simulated truth; in elements", elements),
		Columns: append(virtualQueueOf(), number("estimated\nmean"), number("estimated\n99 %"),
			number("simulated\nmean"), number("simulated\n99 %"), number("error of the\nmean"),
			number("error of the\n99 %"),
			number("distance").about("total variation distance of the two distributions, "+
				"from 0 to 1"))}
	for i := range cases {
		x := &cases[i]
		mean, p99, meanError, p99Error, distance := dash(), text("refuted"), dash(), dash(), dash()
		if len(x.Refuted) == 0 {
			mean, p99, distance = decimals(x.Mean, 2), whole(x.P99), decimals(x.Distance, 3)
			meanError, p99Error = errorCell(x.Mean/x.TrueMean-1), errorCell(x.P99/math.Max(x.TrueP99, 1)-1)
		}
		t.add(append(virtualQueueCells(x), mean, p99, decimals(x.TrueMean, 2), whole(x.TrueP99), meanError, p99Error,
			distance)...)
	}
	return t
}

// VirtualQueueChecks are what the checks of the estimates rest on.
func VirtualQueueChecks(cases []micro.VirtualQueueCase) *Table {
	t := &Table{ID: "virtual-queue-checks",
		Title: "Checks: what agents see, measured in the simulation, beside the model",
		Columns: append(virtualQueueOf(), number("correlation\nof gaps"),
			number("of service\ntimes"), number("before the link\nseen"), number("model"), number("distance"),
			number("at most"), number("behind the link\nseen"), number("model"), number("distance"), number("at most"),
			name("refuted by").fold(60))}
	for i := range cases {
		x := &cases[i]
		row := append(virtualQueueCells(x), decimals(x.GapCorrelation, 3), decimals(x.BusyCorrelation, 3))
		for _, c := range []struct{ measured, predicted, distance, most float64 }{
			{x.Ahead.Measured, x.Ahead.Predicted, x.Ahead.Distance, x.Ahead.Most()},
			{x.Behind.Measured, x.Behind.Predicted, x.Behind.Distance, x.Behind.Most()}} {
			if x.Bulk == 0 {
				row = append(row, dash(), dash(), dash(), dash())
				continue
			}
			row = append(row, decimals(c.measured, 2), decimals(c.predicted, 2), decimals(c.distance, 3),
				decimals(c.most, 3))
		}
		t.add(append(row, text(strings.Join(x.Refuted, "; ")))...)
	}
	return t
}

func virtualQueueOf() []Column {
	return []Column{name("from, to"), name("gaps"), name("service"), number("ρ").about("utilization of the server"),
		number("bulk")}
}

func virtualQueueCells(x *micro.VirtualQueueCase) []Cell {
	gaps, bulk := "random", dash()
	if x.Correlated {
		gaps = "correlated"
	}
	if x.Bulk > 0 {
		bulk = whole(x.Bulk)
	}
	return []Cell{text(x.Way), text(gaps), text(x.Server), decimals(x.Utilization, 3), bulk}
}
