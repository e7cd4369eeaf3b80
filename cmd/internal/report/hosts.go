package report

import (
	"fmt"
	clock "time"

	"xopt/bench/networks"
)

// Hosts is how well mappings over the hosts of each network were predicted.
func Hosts(cases []networks.Case, runs int, window clock.Duration) *Table {
	t := &Table{ID: "hosts", Title: "Mappings over hosts, predicted and run: " + turns(runs, window),
		Columns: []Column{number("hosts"), name("cables"), rate("bandwidth").own(), time("latency").own(),
			number("sending a byte"), number("receiving"), number("mappings"), number("median error"), number("worst"),
			number("first choice to the best")}}
	for i := range cases {
		c := &cases[i]
		median, worst := c.Median()
		ran := 0
		for _, m := range c.Mappings {
			if m.Measured > 0 {
				ran++
			}
		}
		t.add(whole(c.Network.Hosts), text(c.Network.Cable.String()), figure(c.Bandwidth), figure(c.Latency),
			text(perByteOf(c.Send)), text(perByteOf(c.Receive)), whole(ran), inPercent(median), inPercent(worst),
			inPercent(-c.Choice()))
	}
	t.Note = "bandwidth, latency, and what sending and receiving cost the processors, are as " +
		"calibrated; the error is that of the predicted throughput, relative to what was measured"
	return t.scaled()
}

// perByteOf is a time for each byte.
func perByteOf(seconds float64) string { return fmt.Sprintf("%.3g ns", seconds*1e9) }

// HostMappings are the mappings that were run on each network.
func HostMappings(cases []networks.Case) *Table {
	t := &Table{ID: "mappings", Title: "The mappings", Columns: []Column{number("hosts"), name("cables"),
		name("mapping"), rate("predicted").own(), rate("measured").own(), number("error"), name("")}}
	for i := range cases {
		c := &cases[i]
		for _, m := range c.Mappings {
			note := m.Fail
			if m.First {
				note = "the search's first choice"
			}
			failed, measured := dash(), dash()
			if m.Measured > 0 {
				failed, measured = inPercent(m.Predicted/m.Measured-1), figure(m.Measured)
			}
			t.add(whole(c.Network.Hosts), text(c.Network.Cable.String()), text(m.Text), figure(m.Predicted), measured,
				failed, text(note))
		}
	}
	return t.scaled()
}
