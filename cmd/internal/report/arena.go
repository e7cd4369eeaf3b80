package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	clock "time"

	"xopt/bench/arena"
	"xopt/internal/units"
)

// Arena returns four tables that compare the search with other methods on published graphs. The tables show the
// instances on which an opponent is better, the sets, the methods, and all instances. limit and threads are the limits
// of each search.
func Arena(rows []arena.Row, limit clock.Duration, threads int) []*Table {
	origin := fmt.Sprintf("times measured, %s, time limit %v", units.Counted(threads, "thread", "threads"), limit)
	return []*Table{arenaLosses(rows, origin), arenaSets(rows, origin), arenaMethods(rows),
		arenaInstances(rows, origin)}
}

// ArenaFronts compares xopt's fronts of period and cores with the fronts of an exact method. It returns a table by set
// and a table of all instances; nil if there are no fronts.
func ArenaFronts(fronts []arena.Front, method string) []*Table {
	if len(fronts) == 0 {
		return nil
	}
	columns := []Column{number("fronts proven"), number("numbers of cores").about("compared numbers of cores"),
		number("xopt better"), number("equal"), number(method + " better"),
		number("its throughput is higher by").about("largest gain in throughput of " + method + " over xopt"),
		time("time of xopt").own()}
	title := "Shortest period with at most 1, 2, … cores, computed: xopt's front of throughput and cores, and " + method
	sets := &Table{ID: "front-sets", Title: title + ", by set", Columns: append([]Column{name("set"),
		number("instances")}, columns...)}
	all := &Table{ID: "fronts", Title: title, Columns: append([]Column{name("set"), name("instance"),
		number("tasks")}, columns...)}
	for len(fronts) > 0 {
		n := slices.IndexFunc(fronts, func(f arena.Front) bool { return f.Set != fronts[0].Set })
		if n < 0 {
			n = len(fronts)
		}
		sets.add(append([]Cell{text(fronts[0].Set), integer(n)}, frontCells(fronts[:n])...)...)
		for i := range fronts[:n] {
			f := &fronts[i]
			all.add(append([]Cell{text(f.Set), text(f.Name), integer(f.Tasks)}, frontCells(fronts[i:i+1])...)...)
		}
		fronts = fronts[n:]
	}
	return []*Table{sets.scaled(), all.scaled()}
}

// frontCells counts the periods in fronts that are better than, equal to and worse than those of the exact method.
func frontCells(fronts []arena.Front) []Cell {
	var proven, compared, better, worse int
	seconds, lead := 0.0, 0.0
	for i := range fronts {
		if fronts[i].Proven {
			proven++
		}
		seconds += fronts[i].Seconds
		for _, x := range fronts[i].Points {
			if x.Opponent == 0 {
				continue
			}
			compared++
			switch {
			case x.Period == 0 || x.Period > x.Opponent*(1+arena.Tie):
				worse++
				lead = max(lead, x.Period/x.Opponent-1)
			case x.Period < x.Opponent*(1-arena.Tie):
				better++
			}
		}
	}
	return []Cell{integer(proven), integer(compared), integer(better), integer(compared - better - worse),
		integer(worse), part(lead), figure(seconds)}
}

// maxLosses is the maximum number of rows of the first table. A page shows this number of rows without a separate file.
const maxLosses = 20

func arenaLosses(rows []arena.Row, origin string) *Table {
	t := &Table{ID: "losses", Title: "Instances on which an opponent is better than xopt: periods computed, " + origin,
		Columns: []Column{name("instance"), number("tasks"), time("period").own(), name("best opponent"),
			time("its period").own(), number("its throughput is higher by").about(aboutLead),
			number("gap to bound").about(aboutGap)}}
	losses := slices.Clone(rows)
	slices.SortStableFunc(losses, func(a, b arena.Row) int { return cmp.Compare(b.Lead(), a.Lead()) })
	n := 0
	for i := range losses {
		r := &losses[i]
		if r.Lead() <= 0 {
			break
		}
		if n++; n <= maxLosses {
			t.add(text(r.Name), integer(r.Tasks), figure(r.Period), text(r.Best().Method), figure(r.Best().Period),
				part(r.Lead()), gapCell(r))
		}
	}
	if n > maxLosses {
		t.Title = fmt.Sprintf("%d of the %d instances", maxLosses, n) + strings.TrimPrefix(t.Title, "Instances") +
			"; the last table lists all instances"
	}
	if n == 0 {
		t.add(text("none"), dash(), dash(), dash(), dash(), dash(), dash())
	}
	return t.scaled()
}

// Explanations of columns.
const (
	aboutLead = "gain in throughput of the best opponent over xopt"
	aboutGap  = "maximum possible gain in throughput over xopt's mapping, from the bound"
	aboutRate = "moves that annealing tried, without copies"
)

func gapCell(r *arena.Row) Cell {
	if r.Gap == nil {
		return text("no bound")
	}
	return part(*r.Gap)
}

// arenaSets summarizes the rows by set.
func arenaSets(rows []arena.Row, origin string) *Table {
	t := &Table{ID: "sets", Title: "Results by set: periods computed, " + origin, Columns: []Column{name("set"),
		number("instances"),
		name("proven within 0.1 %").about("no mapping has a throughput that is higher by more than 0.1 %"),
		number("gap, median").about(aboutGap), number("gap, worst"),
		name("published periods reached").about("xopt's period is at most 0.001 % above the published period"),
		number("published periods improved").about("xopt's period is more than 0.001 % below the published period"),
		number("xopt better").about("instances on which xopt's period is shorter than the period of every opponent"),
		number("equal").about("the periods of xopt and of the best opponent differ by at most 0.1 %"),
		number("opponent better"), time("time to proof, median").own(),
		number("moves/s and thread, median").about(aboutRate)}}
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r arena.Row) bool { return r.Set != rows[0].Set })
		if n < 0 {
			n = len(rows)
		}
		t.Rows = append(t.Rows, arenaSet(rows[:n]))
		rows = rows[n:]
	}
	return t.scaled()
}

// reachedTolerance is the relative difference up to which a period equals a published period. Published periods have
// six digits.
const reachedTolerance = 1e-5

func arenaSet(rows []arena.Row) Row {
	var gaps, proofs, rates []float64
	var proven, published, reached, improved int
	wins := make(map[string]int)
	for i := range rows {
		r := &rows[i]
		if r.Gap != nil {
			gaps = append(gaps, *r.Gap)
		}
		if r.Proven {
			proven++
			proofs = append(proofs, r.Seconds)
		}
		if r.Published > 0 {
			published++
			if r.Period <= r.Published*(1+reachedTolerance) {
				reached++
			}
			if r.Period < r.Published*(1-reachedTolerance) {
				improved++
			}
		}
		if r.Rate > 0 {
			rates = append(rates, r.Rate)
		}
		switch r.Winner() {
		case "xopt", "equal", "":
			wins[r.Winner()]++
		default:
			wins["opponent"]++
		}
	}
	row := Row{Cells: []Cell{text(rows[0].Set), integer(len(rows)), text(fmt.Sprintf("%d of %d", proven, len(rows)))}}
	if len(gaps) > 0 {
		slices.Sort(gaps)
		row.Cells = append(row.Cells, part(gaps[len(gaps)/2]), part(gaps[len(gaps)-1]))
	} else {
		row.Cells = append(row.Cells, dash(), dash())
	}
	if published > 0 {
		row.Cells = append(row.Cells, text(fmt.Sprintf("%d of %d", reached, published)), integer(improved))
	} else {
		row.Cells = append(row.Cells, dash(), dash())
	}
	row.Cells = append(row.Cells, integer(wins["xopt"]), integer(wins["equal"]), integer(wins["opponent"]))
	if len(proofs) > 0 {
		row.Cells = append(row.Cells, figure(middle(proofs)))
	} else {
		row.Cells = append(row.Cells, dash())
	}
	if len(rates) == 0 {
		rates = []float64{0}
	}
	row.Cells = append(row.Cells, rateCell(middle(rates)))
	return row
}

// rateCell shows a number of moves per second; a dash if the search did not anneal.
func rateCell(rate float64) Cell {
	if rate == 0 {
		return dash()
	}
	return compact(rate)
}

// arenaMethods compares each opponent with xopt. It returns nil without opponents.
func arenaMethods(rows []arena.Row) *Table {
	t := &Table{ID: "methods", Title: "Opponents: their periods relative to xopt's, computed",
		Columns: []Column{name("method"), number("instances").about("instances for which the method has a mapping"),
			number("better than xopt"), number("equal"), number("worse"),
			number("period / xopt's, median").about("below 1: the opponent is better"),
			number("smallest").about("smallest ratio of the periods"), number("largest")}}
	if len(rows) == 0 || len(rows[0].Scores) == 0 {
		return nil
	}
	for m := range rows[0].Scores {
		var ratios []float64
		var better, equal int
		for i := range rows {
			if s := &rows[i].Scores[m]; s.Period > 0 {
				ratio := s.Period / rows[i].Period
				ratios = append(ratios, ratio)
				switch {
				case ratio < 1-arena.Tie:
					better++
				case ratio <= 1+arena.Tie:
					equal++
				}
			}
		}
		if len(ratios) == 0 {
			t.add(text(rows[0].Scores[m].Method), integer(0), dash(), dash(), dash(), dash(), dash(), dash())
			continue
		}
		t.add(text(rows[0].Scores[m].Method), integer(len(ratios)), integer(better), integer(equal),
			integer(len(ratios)-better-equal), decimals(middle(ratios), 4), decimals(slices.Min(ratios), 4),
			decimals(slices.Max(ratios), 4))
	}
	return t.scaled()
}

// arenaInstances returns a table with a row for each instance.
func arenaInstances(rows []arena.Row, origin string) *Table {
	t := &Table{ID: "instances", Title: "All instances: periods computed, " + origin, Columns: []Column{name("set"),
		name("instance"), number("tasks"), number("cores"), number("stateless tasks"), time("period").own(),
		time("bound").own().about("lower bound of the period of all mappings"), number("gap").about(aboutGap),
		name("proven within 0.1 %"), time("published").own().about("shortest published period"),
		time("time to best").own(),
		time("time to proof or end").own(), number("moves/s and thread").about(aboutRate), name("best opponent"),
		time("its period").own(), name("best").about("method with the shortest period"),
		name("not tried").about("reason why the search omitted some or all copies")}}
	for i := range rows {
		r := &rows[i]
		opponent, period := dash(), dash()
		if best := r.Best(); best != nil {
			opponent, period = text(best.Method), figure(best.Period)
		}
		t.add(text(r.Set), text(r.Name), integer(r.Tasks), integer(r.Cores), integer(r.Replicable), figure(r.Period),
			figureOrDash(r.Bound), gapCell(r), yesNo(r.Proven), figureOrDash(r.Published), figure(r.BestAfter),
			figure(r.Seconds), rateCell(r.Rate), opponent, period, text(r.Winner()), text(r.Left))
	}
	return t.scaled()
}
