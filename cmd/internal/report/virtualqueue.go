package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/bench/micro"
	"xopt/mapper/result"
)

// virtualQueue compares the estimate of a queue over a link with the simulation's true value; nil if the statement has
// no estimate.
func virtualQueue(i int, q *result.Query) *Table {
	v := q.VirtualQueue
	if v == nil {
		return nil
	}
	t := &Table{ID: fmt.Sprintf("virtual-queue-%d", i+1), Title: fmt.Sprintf("%s: virtual queue over %s, estimated "+
		"and simulated (elements)", q.Name, overLink(v)),
		Columns: []Column{name("queue"), number("estimated\nmean"), number("estimated\n99 %"),
			number("simulated\nmean"),
			number("simulated\n99 %"),
			number("distance").about("total variation distance of the two distributions, from 0 to 1"),
			number("at most").about("largest distance that does not refute the model: the distance of simulated " +
				"runs of the same length from the model, plus 0.05")}}
	if v.Unknown != "" {
		t.Title = q.Name + ": virtual queue: not estimated"
		t.Note = "Not estimated: " + v.Unknown + "."
		t.Columns = t.Columns[:1]
		return t
	}
	mean, p99, distance := dash(), dash(), dash()
	if e := v.Estimated; e != nil {
		mean, p99, distance = compact(e.Mean), compact(e.P99), compact(*v.Distance)
	}
	trueMean, trueP99 := dash(), dash()
	if v.True != nil {
		trueMean, trueP99 = compact(v.True.Mean), compact(v.True.P99)
	}
	t.add(text("all"), mean, p99, trueMean, trueP99, distance, dash())
	for _, x := range []struct {
		name string
		s    result.SubQueue
	}{{"before " + v.Link + ", seen", v.Ahead}, {"behind " + v.Link + ", seen", v.Behind}} {
		t.add(text(x.name), compact(x.s.Predicted), dash(), compact(x.s.Measured), dash(), compact(x.s.Distance),
			compact(x.s.Max))
	}
	t.Note = virtualQueueNote(v)
	return t
}

func overLink(v *result.VirtualQueue) string {
	if v.Bulk > 1 {
		return fmt.Sprintf("%s in transfers of %d elements", v.Link, v.Bulk)
	}
	return v.Link
}

// virtualQueueNote describes the basis of the estimate, or why checks refuted it.
func virtualQueueNote(v *result.VirtualQueue) string {
	if len(v.Refuted) > 0 {
		return "The checks refuted the model, so only the observed queues are known: " +
			strings.Join(v.Refuted, "; ") + "."
	}
	late := ""
	if v.Late > 0 {
		late = fmt.Sprintf(" The observed and simulated queues may be up to %.0f elements longer than with an "+
			"immediate exchange. The FPGA and the cores exchange data only every --quantum cycles. The limits "+
			"of the distances include this delay. A distance above its limit refutes the model.", v.Late)
	}
	note := fmt.Sprintf("The estimate draws each gap and service time independently from the observed "+
		"distributions. The correlation of successive values is %.2g for gaps and %.2g for service times.",
		v.GapCorrelation, v.ServiceCorrelation)
	if v.Sharers > 1 {
		note += fmt.Sprintf(" %d edges share %s, whose transfers alternate.", v.Sharers, v.Link)
	}
	return note + " Elements that wait for a transfer at the end of the stream are in the simulation but not in " +
		"the estimate." + late
}

// VirtualQueues compares estimates of virtual queues with the true values.
func VirtualQueues(cases []micro.VirtualQueueCase, elements uint64) *Table {
	t := &Table{ID: "virtual-queues", Title: fmt.Sprintf("Queues of %d elements each in virtual time: estimated by "+
		"agents at both ends, and simulated; in elements", elements),
		Columns: append(virtualQueueOf(), number("estimated\nmean"), number("estimated\n99 %"),
			number("simulated\nmean"), number("simulated\n99 %"), number("error of the\nmean"),
			number("error of the\n99 %"),
			number("distance").about("total variation distance of the two distributions, from 0 to 1"))}
	for i := range cases {
		x := &cases[i]
		mean, p99, meanError, p99Error, distance := dash(), text("refuted"), dash(), dash(), dash()
		if len(x.Refuted) == 0 {
			mean, p99, distance = decimals(x.Mean, 2), integer(x.P99), decimals(x.Distance, 3)
			meanError, p99Error = errorCell(x.Mean/x.TrueMean-1), errorCell(x.P99/math.Max(x.TrueP99, 1)-1)
		}
		t.add(append(virtualQueueCells(x), mean, p99, decimals(x.TrueMean, 2), integer(x.TrueP99), meanError, p99Error,
			distance)...)
	}
	return t
}

// VirtualQueueChecks returns a table of the measurements that check the estimates.
func VirtualQueueChecks(cases []micro.VirtualQueueCase) *Table {
	t := &Table{ID: "virtual-queue-checks",
		Title: "Checks: observations of agents in the simulation, compared with the model",
		Columns: append(virtualQueueOf(), number("correlation\nof gaps"),
			number("of service\ntimes"), number("before the link\nseen"), number("model"), number("distance"),
			number("at most"), number("behind the link\nseen"), number("model"), number("distance"), number("at most"),
			name("refuted by").fold(60))}
	for i := range cases {
		x := &cases[i]
		row := append(virtualQueueCells(x), decimals(x.GapCorrelation, 3), decimals(x.BusyCorrelation, 3))
		for _, c := range []struct{ measured, predicted, distance, max float64 }{
			{x.Ahead.Measured, x.Ahead.Predicted, x.Ahead.Distance, x.Ahead.MaxDistance()},
			{x.Behind.Measured, x.Behind.Predicted, x.Behind.Distance, x.Behind.MaxDistance()}} {
			if x.Bulk == 0 {
				row = append(row, dash(), dash(), dash(), dash())
				continue
			}
			row = append(row, decimals(c.measured, 2), decimals(c.predicted, 2), decimals(c.distance, 3),
				decimals(c.max, 3))
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
		bulk = integer(x.Bulk)
	}
	return []Cell{text(x.Way), text(gaps), text(x.Server), decimals(x.Utilization, 3), bulk}
}
