package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// raceOf returns the race of a search; nil for none.
func raceOf(r *result.Result) *result.Race {
	if r.Validation == nil {
		return nil
	}
	return r.Validation.Race
}

// isRaced reports whether a race determined the order of the candidates.
func isRaced(r *result.Result) bool {
	race := raceOf(r)
	return race != nil && race.Undecided == ""
}

// raceAnswer returns the throughput of the winner of a race, with its prediction and the certainty of its rank.
func raceAnswer(r *result.Result) string {
	v := r.Validation
	c := &v.Cases[v.Race.Winner]
	predicted := racePrediction(r, v.Race.Winner)
	scale := scaleOf("B/s", c.Ran(), predicted)
	between, corrected := "", ""
	if x := c.Interval; x != nil {
		between = fmt.Sprintf(" (95 %% confidence interval: %s to %s %s)", scale.Format(x[0]), scale.Format(x[1]),
			scale.Unit())
	}
	if c.Undisturbed > 0 && c.Slowed < 1-noticeableSlowdown {
		corrected = " and corrected for a slowdown of the machine by " + units.Percent(1-c.Slowed)
	}
	return fmt.Sprintf("%s, measured%s%s, predicted %s %s; %s", units.Rate(c.Ran()), corrected, between,
		scale.Format(predicted), scale.Unit(), raceRank(r))
}

// racePrediction returns the predicted throughput of a mapping in a race, as in the table of candidates.
func racePrediction(r *result.Result, i int) float64 {
	c := &r.Validation.Cases[i]
	if c.Candidate >= 0 {
		return float64(r.Candidates[c.Candidate].Throughput)
	}
	return float64(c.Predicted)
}

// raceRank returns the rank of a race's winner: the fastest, or the candidates that the race cannot separate.
func raceRank(r *result.Result) string {
	v := r.Validation
	if len(v.Race.Alike) < 2 {
		return "fastest of " + count(len(measuredCases(v)), "mapping") + " that ran"
	}
	var names []string
	others := 0
	for _, i := range v.Race.Alike {
		if c := &v.Cases[i]; c.Candidate >= 0 {
			names = append(names, c.Name)
		} else {
			others++
		}
	}
	slices.Sort(names)
	if others > 0 {
		names = append(names, count(others, "other mapping"))
	}
	return "the race cannot separate candidates " + listed(units.First(names, maxNamed, "%d more")) +
		": the highest median is first"
}

// raceUndecided explains why the runs of a race do not rank the candidates, and names the remedy.
func raceUndecided(v *result.Validation) (why, do string) {
	do = "search again with a longer --race"
	switch v.Race.Undecided {
	case result.FewRounds:
		why = fmt.Sprintf("only %s complete in %s", units.Counted(v.Race.Rounds, "round was", "rounds were"),
			units.Time(v.Race.Seconds))
		if v.Race.Interrupted {
			why += " before the interruption"
		}
	case result.NoneRan:
		why, do = NoneRan(v, true), "search again without --race, or correct the kernels"
	case result.MostDisturbed:
		why, do = "other programs disturbed most runs", "search again with --race on a quiet machine"
	default:
		why, _ = unknownRanking(v, v.Race.Undecided)
	}
	if s := striking(v, v.Verdict); s != "" && v.Verdict.First >= 0 {
		why += "; still visible: " + s
	}
	return why, do
}

// race adds the recommended action if a race did not rank the candidates.
func (f *findings) race(v *result.Validation) {
	if v == nil || v.Race == nil || v.Race.Undecided == "" {
		return
	}
	why, do := raceUndecided(v)
	f.add(faults.RaceUndecided, caution, "the race cannot rank the candidates, which keep the order of their "+
		"predictions: "+why, do, "")
	f.list[len(f.list)-1].first = true
}

// raceFact describes the result of a race.
func raceFact(r *result.Result) Fact {
	v := r.Validation
	ran := fmt.Sprintf("%s in %s", count(v.Verdict.Runs, "run"), units.Time(v.Race.Seconds))
	if !isRaced(r) {
		why, _ := raceUndecided(v)
		return Fact{"Race", "undecided", why + "; " + ran}
	}
	c := &v.Cases[v.Race.Winner]
	return Fact{"Measured", units.Rate(c.Ran()), strings.Join([]string{raceRank(r), "predicted " +
		units.Rate(racePrediction(r, v.Race.Winner)), ran}, "; ")}
}

// raceTable compares the mappings of a race, in the order of their rank; nil without a race.
func raceTable(r *result.Result) *Table {
	v := r.Validation
	if raceOf(r) == nil {
		return nil
	}
	t := &Table{ID: "race", Title: fmt.Sprintf("Race: mappings that ran in turns on this machine, median of the "+
		"runs%s; from, to: 95 %% confidence interval", ifUndisturbed(v)), Columns: []Column{name("candidate"),
		name("structure").fold(40),
		rate("predicted"), rate("measured"), rate("from").about("lower end of the 95 % confidence interval"),
		rate("to").about("upper end of this interval"),
		number("runs").about("slower mappings leave the race early, and have fewer runs"),
		name("ranking").about(standingMeaning)}}
	order := slices.Clone(v.Race.Order)
	for _, i := range byPrediction(v) {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	for _, i := range order {
		c := &v.Cases[i]
		candidate, measured := dash(), text("failed")
		from, to := endCells(c.Interval)
		if c.Candidate >= 0 {
			candidate = text(c.Name)
		}
		if c.Fail == "" {
			if measured = figure(c.Ran()); c.Bounded {
				measured = measured.before("≥ ")
			}
		} else if len(c.Runs) == 0 && v.Race.Interrupted {
			measured = text("not run")
		}
		if c.Fail != "" {
			from, to = dash(), dash()
		}
		standing := cmp.Or(string(v.Verdict.Standings[i]), "-")
		if slices.Contains(v.Race.Alike, i) && len(v.Race.Alike) > 1 { // no standings if all intervals overlap
			standing = string(result.AmongFastest)
		}
		row := t.add(candidate, text(v.Race.Racers[i].Structure), figure(racePrediction(r, i)), measured, from, to,
			integer(len(c.Runs)), text(standing))
		if c.Candidate >= 0 {
			row.Link = candidateID(c.Candidate)
		}
	}
	return t.scaled()
}
