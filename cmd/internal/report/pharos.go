package report

import (
	"fmt"
	"math"

	"xopt/bench/pharos"
)

// cyclesColumn returns a column of FPGA cycles.
func cyclesColumn(s string) Column { return counted(s, "cycles") }

// PharosOffsets reproduces Fig. 4.3 of Rafii 2021: the corrections by slaves after an interval.
func PharosOffsets(rows []pharos.Offsets) *Table {
	t := &Table{ID: "pharosoffsets", Title: fmt.Sprintf("Corrections by pPTP slaves after an interval (Rafii 2021, "+
		"Fig. 4.3): RTL simulation, cycles of 10 ns; five clocks that deviate by %v ppm (the first deviation is "+
		"published, the other deviations are assumed)", pharos.Drifts()),
		Columns: []Column{time("interval").own(), cyclesColumn("largest").about("largest absolute correction of all " +
			"slaves in ten synchronizations"), cyclesColumn("drift").about("drift of the fastest clock in the " +
			"interval"),
			cyclesColumn("published").about("largest correction in the thesis")}}
	for i := range pharos.Drifts() {
		t.Columns = append(t.Columns, cyclesColumn(fmt.Sprintf("FPGA %d", i+2)))
	}
	for i := range rows {
		r := &rows[i]
		largest := 0.0
		for _, o := range r.Offset {
			largest = math.Max(largest, o)
		}
		published := dash()
		if r.Published >= 0 {
			published = integer(int(r.Published))
		}
		cells := []Cell{figure(r.Period), integer(int(largest)), text(fmt.Sprintf("%.3g", r.Drift[0])), published}
		for _, o := range r.Offset {
			cells = append(cells, integer(int(o)))
		}
		t.add(cells...)
	}
	return t.scaled()
}

// fromTo formats a range of times in ns.
func fromTo(s pharos.Spread) Cell { return text(fmt.Sprintf("%.0f to %.0f", s.Min, s.Max)) }

// PharosErrors returns a table of the clock errors that remain with pPTP.
func PharosErrors(rows []pharos.Errors) *Table {
	t := &Table{ID: "pharoserrors", Title: "Error of the pPTP time in ns, known only in simulation (unless stated: " +
		"interval 1 ms, clock 4.51 ppm fast)",
		Columns: []Column{name("situation").fold(34), number("trip").about("time from request to response"),
			number("corrected").about("corrections seen by slaves: the only value that the thesis could measure"),
			number("true error").about("slave's time minus master's time, directly after a correction"),
			number("rms"), number("expected").about("half of the difference between the delays of the two " +
				"directions; one cycle of this difference comes from the queue before the master, which a request " +
				"passes twice"),
			number("before").about("true error directly before the next correction"),
			number("unused").about("responses whose round trip took too long")}}
	for i := range rows {
		r := &rows[i]
		expected := dash()
		if !math.IsNaN(r.Expected) {
			expected = text(fmt.Sprintf("%.0f", r.Expected))
		}
		t.add(text(r.Case), fromTo(r.Trip), fromTo(r.Offset), fromTo(r.Settled),
			text(fmt.Sprintf("%.1f", r.Settled.RMS)), expected, fromTo(r.Drifted), integer(int(r.Slow)))
	}
	return t.scaled()
}

// PharosLatencies reproduces Table 4.1 of Rafii 2021.
func PharosLatencies(rows []pharos.Latencies, around float64) *Table {
	t := &Table{ID: "pharoslatencies", Title: fmt.Sprintf("Latency of probes with traffic at the network's "+
		"capacity (Rafii 2021, Table 4.1), in ns: RTL simulation of a network; without probes, the round trip of "+
		"its traffic is %.0f ns (published: %d)", around, pharos.BaseAround),
		Columns: []Column{time("probe interval").own(), number("round trip"), number("published"),
			number("one way").about("latency in one direction, with two clocks synchronized by pPTP"),
			number("published "), number("inserted").about("increase relative to " +
				"traffic without probes; " +
				"the sink that forwards the probes causes one cycle of this increase"), number("published  "),
			number("unsent").about("probes that found no space in the network")}}
	for i := range rows {
		r := &rows[i]
		ns := func(x float64) Cell { return text(fmt.Sprintf("%.0f", x)) }
		t.add(figure(r.Period), ns(r.Around), ns(r.PublishedAround), ns(r.OneWay), ns(r.PublishedOneWay),
			ns(r.Inserted), ns(r.PublishedInserted), integer(int(r.Unsent)))
	}
	return t.scaled()
}

// PharosTraffic returns a table of the counts of the traffic monitors in Rafii 2021, 4.4.2.
func PharosTraffic(monitors []pharos.Monitor) *Table {
	t := &Table{ID: "pharostraffic", Title: "Counts of the traffic monitors (Rafii 2021, Listings 4.1 to 4.4): RTL " +
		"simulation; the listings have the same cycles, packets, averages and time differences",
		Columns: []Column{number("monitor"), number("cycles"), number("words"), number("packets"),
			name("average size, B").about("average size after each tenth of the packets"),
			name("packet 70").about("cycles between the first monitor and this one"),
			name("packet 452 000").about("cycles between the first monitor and this one")}}
	for i := range monitors {
		m := &monitors[i]
		sizes := ""
		for _, a := range m.Averages {
			sizes += fmt.Sprintf(" %g", a)
		}
		after := func(event int) Cell {
			if len(m.Hits[event]) == 0 {
				return dash()
			}
			return text(fmt.Sprintf("+%d", m.Hits[event][0]-monitors[0].Hits[event][0]))
		}
		t.add(integer(i+1), integer(int(m.Cycles)), integer(int(m.Words)), integer(int(m.Packets)),
			text(sizes[min(1, len(sizes)):]), after(0), after(1))
	}
	return t.scaled()
}
