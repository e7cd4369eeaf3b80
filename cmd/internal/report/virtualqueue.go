package report

import (
	"fmt"
	"strings"

	"xopt/mapper/result"
)

// virtualQueue is the estimate of a queue that crosses a link, beside the truth of the simulation;
// nil where none belongs to a statement.
func virtualQueue(i int, q *result.Query) *Table {
	v := q.VirtualQueue
	if v == nil {
		return nil
	}
	t := &Table{ID: fmt.Sprintf("virtual-queue-%d", i+1), Title: fmt.Sprintf("%s: virtual queue over %s: estimated "+
		"from both ends, and simulated (elements)", q.Name, overLink(v)),
		Columns: []Column{name("queue"), number("estimated\nmean"), number("estimated\n99 %"),
			number("simulated\nmean"),
			number("simulated\n99 %"),
			number("distance").about("total variation distance of the two distributions, from 0 to 1"),
			number("at most").about("the distance that does not refute the model: that of runs of as many elements " +
				"from the model itself, and 0.05")}}
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
			compact(x.s.Most))
	}
	t.Note = virtualQueueNote(v)
	return t
}

func overLink(v *result.VirtualQueue) string {
	if v.Bulk > 1 {
		return fmt.Sprintf("%s in bulks of %d", v.Link, v.Bulk)
	}
	return v.Link
}

// virtualQueueNote says what the estimate rests on, or why it was refuted.
func virtualQueueNote(v *result.VirtualQueue) string {
	if len(v.Refuted) > 0 {
		return "Refuted, so only the observed queues are known: " + strings.Join(v.Refuted, "; ") + "."
	}
	late := ""
	if v.Late > 0 {
		late = fmt.Sprintf(" The observed and simulated queues may have up to %.0f elements more, because the FPGA "+
			"and the cores exchange data only every --quantum cycles; distances of observed queues allow for that, "+
			"and a larger distance refutes.", float64(v.Late))
	}
	note := fmt.Sprintf("Estimated with gaps and service times drawn independently from those observed; their "+
		"correlations are %.2g and %.2g.", float64(v.GapCorrelation), float64(v.ServiceCorrelation))
	if v.Sharers > 1 {
		note += fmt.Sprintf(" %d edges share %s, whose transfers come between.", v.Sharers, v.Link)
	}
	return note + " Elements that wait for a bulk at the end of the stream are in the truth, but not in the estimate." +
		late
}
