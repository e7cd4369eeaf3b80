package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// queues shows, for each edge, the mapping whose longest queue differs most from the simulation, and the number of
// queues close to their prediction.
func queues(v *result.Validation) []Part {
	seen := "sampled during the runs"
	if v.Simulated || v.FromProfile {
		seen = "at any time"
	}
	t := &Table{ID: "queues", Title: "Longest queues, in elements: predicted by simulation with the buffers of the " +
		"run, and " + verb(v) + " (" + seen + "), for the mapping in which the two lengths differ most",
		Columns: []Column{name("edge"), name("mapping"), number("predicted"), number(verb(v)), number("buffer"),
			number("ratio").about("predicted / " + verb(v)),
			name("within 2").about("yes if the lengths differ by at most a factor of 2; full: both queues fill the " +
				"buffer, so their lengths are not comparable"), name("reason").fold(anyLength)}}
	type at struct {
		queue *result.EdgeQueue
		of    string
	}
	var names []string
	worst := make(map[string]at)
	all, near, full, unknown := 0, 0, 0, 0
	for _, c := range measuredCases(v) {
		for i := range c.EdgeQueues {
			q := &c.EdgeQueues[i]
			all++
			switch {
			case q.Unknown != "":
				unknown++
			case q.Full:
				full++
			case q.Near():
				near++
			}
			if !slices.Contains(names, q.Edge) {
				names = append(names, q.Edge)
			}
			if existing, ok := worst[q.Edge]; !ok || further(q) > further(existing.queue) {
				worst[q.Edge] = at{q, c.Name}
			}
		}
	}
	if all == 0 {
		return nil
	}
	for _, e := range names {
		q := worst[e].queue
		predicted, ratio, inside, why := integer(q.Predicted), decimals(queueRatio(q), 2), "no", q.Why
		switch {
		case q.Unknown != "":
			predicted, ratio, inside, why = dash(), dash(), "-", "not simulated: "+q.Unknown
		case q.Full:
			inside = "full"
		case q.Near():
			inside = "yes"
		}
		t.add(text(e), text(worst[e].of), predicted, integer(q.Measured), integer(q.Buffer), ratio, text(inside),
			text(why))
	}
	return append(tableParts(t), Part{Text: queueWords(near, full, unknown, all)})
}

// queueWords counts the queues close to their prediction.
func queueWords(near, full, unknown, all int) string {
	var also []string
	if full > 0 {
		also = append(also, units.Counted(full, "more queue fills its buffer", "more queues fill their buffers")+
			", as predicted")
	}
	if unknown > 0 {
		also = append(also, units.Counted(unknown, "queue", "queues")+" could not be simulated")
	}
	rest := ""
	if len(also) > 0 {
		rest = "; " + strings.Join(also, "; ")
	}
	if reported := all - full - unknown; reported > 0 {
		return fmt.Sprintf("Queues: %d of %d were within a factor of 2 of the simulation%s.", near, reported, rest)
	}
	return fmt.Sprintf("Queues: none of %d is informative%s.", all, rest)
}

// queueRatio returns the predicted length of a queue divided by the measured one. An empty queue counts as one element.
func queueRatio(q *result.EdgeQueue) float64 {
	return max(q.Predicted, 1) / max(q.Measured, 1)
}

// further returns the absolute logarithm of [queueRatio]; negative if the run does not test the prediction.
func further(q *result.EdgeQueue) float64 {
	switch {
	case q.Unknown != "":
		return -2
	case q.Full:
		return -1
	}
	return math.Abs(math.Log(queueRatio(q)))
}
