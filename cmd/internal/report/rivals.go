package report

import (
	"fmt"
	"slices"
	clock "time"

	"xopt/bench/micro"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// ofApps returns the cases of applications, or the cases of the kernel chain if apps is false.
func ofApps(cases []micro.RivalsCase, apps bool) (list []*micro.RivalsCase) {
	for i := range cases {
		if (cases[i].App != "") == apps {
			list = append(list, &cases[i])
		}
	}
	return list
}

// Rivals compares the rates of a kernel chain on several frameworks.
func Rivals(cases []micro.RivalsCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "rivals", Title: "Chain of eleven kernels on two cores, messages/s: " + turns(runs, window),
		Columns: []Column{size("message").own(), name("work").about("work of each of the nine middle kernels")}}
	for _, way := range micro.RivalWays() {
		t.Columns = append(t.Columns, number(way))
	}
	for _, x := range ofApps(cases, false) {
		t.add(chainRow(x, medians(x.Rates[:], compact[float64]))...)
	}
	return t.orNil()
}

// RivalCosts compares the processor time per message on several frameworks.
func RivalCosts(cases []micro.RivalsCase) *Table {
	t := &Table{ID: "rival-costs", Title: "Processor time per message, on both cores, including waiting: measured " +
		"in the runs that measured the rates", Columns: []Column{size("message").own(), name("work")}}
	for _, way := range micro.RivalWays() {
		t.Columns = append(t.Columns, time(way).own())
	}
	t.Columns = append(t.Columns, number("cheapest rival / xopt").about("processor time of the cheapest rival "+
		"relative to xopt: median over the runs"), name("95 % interval"))
	for _, x := range ofApps(cases, false) {
		times, inside := dash(), text("")
		if x.Cheapest > 0 {
			times, inside = ratioCells(&x.Saved)
		}
		t.add(append(chainRow(x, medians(x.CPU[:], figure[float64])), times, inside)...)
	}
	return t.orNil()
}

// RivalLatencies compares the latencies of messages on several frameworks.
func RivalLatencies(cases []micro.RivalsCase, window clock.Duration) *Table {
	t := &Table{ID: "rival-latencies", Title: fmt.Sprintf("Latency from source to sink, 99 %% quantile: measured, "+
		"medians of 3 alternating runs of %v with all sources at full speed", window),
		Columns: []Column{size("message").own(), name("work")}}
	for _, way := range micro.RivalWays() {
		t.Columns = append(t.Columns, time(way).own())
	}
	for _, x := range ofApps(cases, false) {
		if slices.ContainsFunc(x.P99[:], func(m profile.Median) bool { return m.N > 0 }) {
			t.add(chainRow(x, medians(x.P99[:], figure[float64]))...)
		}
	}
	return t.orNil()
}

// chainRow returns a row of a case of the chain: its message size, its work and the given cells.
func chainRow(x *micro.RivalsCase, cells []Cell) []Cell {
	return append([]Cell{figure(float64(x.Bytes)), text(workOf(x))}, cells...)
}

// medians shows medians with their intervals, and a dash for a method without runs.
func medians(list []profile.Median, show func(float64) Cell) (cells []Cell) {
	for i := range list {
		cell := dash()
		if m := &list[i]; m.N > 0 {
			cell = show(m.Value).withInterval(m.Low, m.High)
		}
		cells = append(cells, cell)
	}
	return cells
}

// ratioCells shows a ratio and its interval.
func ratioCells(m *profile.Median) (ratio, inside Cell) {
	return decimals(m.Value, 2), interval(m, func(v float64) string { return units.Digits(v, 3) })
}

// predictionCells shows the prediction of a case with the measured rate and the search's rate relative to other rates.
// It shows dashes for a case without a prediction.
func predictionCells(x *micro.RivalsCase, show func(float64) Cell) (predicted, kept, found Cell) {
	if x.Predicted > 0 {
		return show(x.Predicted), percent(x.Rates[0].Value / x.Predicted), percent(x.Found)
	}
	return dash(), dash(), dash()
}

// workOf describes the work of the kernels of a chain.
func workOf(x *micro.RivalsCase) string {
	s := fmt.Sprintf("%g us", x.Work)
	if x.Heavy > 0 {
		s += fmt.Sprintf(", one %g us", x.Work+x.Heavy)
	}
	return s
}

// RivalRatios returns a table of the speed of xopt relative to the fastest other framework, and of the limit that the
// kernels' work sets.
func RivalRatios(cases []micro.RivalsCase) *Table {
	t := &Table{ID: "rival-ratios", Title: "xopt and the fastest rival", Columns: []Column{size("message").own(),
		name("work"), name("xopt's mapping").fold(24), name("fastest rival").fold(30),
		number("ratio").about("xopt's rate relative to the rate of the fastest rival: median over the " +
			"runs"), name("95 % interval"),
		number("predicted").about("predicted rate of xopt, in messages/s, from kernel times on one core and " +
			"message costs between cores"),
		number("measured / predicted").about("measured rate of xopt relative to the prediction"),
		number("search").about("rate of the mapping found by the search, relative to the fastest mapping, " +
			"in earlier short runs"),
		number("relative to bound").about("xopt's rate relative to the rate of two cores that do only the work of " +
			"the kernels"),
		number("highest possible").about("ratio if xopt reached the rate of these two cores")}}
	for _, x := range ofApps(cases, false) {
		rival, ratio, inside := text("none installed"), dash(), text("")
		bound, maximum := dash(), dash()
		predicted, kept, found := predictionCells(x, compact[float64])
		if x.Bound > 0 {
			bound = percent(x.Rates[0].Value / x.Bound)
		}
		if x.Best > 0 {
			name := micro.RivalWays()[x.Best]
			if s := x.Settings[x.Best]; s != "" {
				name += ", " + s
			}
			rival = text(name)
			ratio, inside = ratioCells(&x.Ratio)
			if x.Bound > 0 {
				maximum = decimals(x.Bound/x.Rates[x.Best].Value, 2)
			}
		}
		t.add(figure(float64(x.Bytes)), text(workOf(x)), text(x.Mapping), rival, ratio, inside, predicted,
			kept, found, bound, maximum)
	}
	return t.orNil()
}

// RivalApps compares the rates and costs of applications deployed by xopt and by oneTBB.
func RivalApps(cases []micro.RivalsCase, runs int, window clock.Duration) *Table {
	ways := micro.RivalWays()
	t := &Table{ID: "rival-apps", Title: "Applications on two cores, bytes/s into the sink: " + turns(runs, window),
		Columns: []Column{name("application"), name("xopt's mapping").fold(24), rate(ways[0]), rate(ways[1]),
			rate(ways[2]), name("fastest mapping").fold(24),
			number("ratio").about("xopt's rate relative to the rate of the fastest mapping: median over the runs"),
			name("95 % interval"),
			rate("predicted").about("predicted rate of xopt, from kernel times on one core and message costs " +
				"between cores"),
			number("measured / predicted").about("measured rate of xopt relative to the prediction"),
			number("search").about("rate of the mapping found by the search, relative to the fastest mapping, " +
				"in earlier short runs"),
			time("processor time").own().about("processor time of xopt per element at the sink, on both cores, " +
				"including waiting"),
			number("cheapest rival / xopt").about("processor time of the cheapest rival relative to xopt: median " +
				"over the runs")}}
	for _, x := range ofApps(cases, true) {
		row := append([]Cell{text(x.App), text(x.Mapping)}, medians(x.Rates[:3], figure[float64])...)
		rival, ratio, inside, times := text("none installed"), dash(), text(""), dash()
		if x.Best > 0 {
			rival, times = text(x.Settings[x.Best]), decimals(x.Saved.Value, 2)
			ratio, inside = ratioCells(&x.Ratio)
		}
		predicted, kept, found := predictionCells(x, figure[float64])
		t.add(append(row, rival, ratio, inside, predicted, kept, found, figure(x.CPU[0].Value), times)...)
	}
	return t.orNil()
}
