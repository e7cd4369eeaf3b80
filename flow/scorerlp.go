package flow

// This file solves the linear program of a Scorer, for applications with several free sources.

// solveLP solves the program for several free sources. Each time-shared resource or link has one row. For the other
// resources and links, each member has one row.
func (s *Scorer) solveLP() {
	s.lp.reset(s.free)
	for c, rule := range s.rule {
		if s.count[c] == 0 {
			continue
		}
		if rule == inTime {
			row := s.row()
			s.loadRow(row, c)
			continue
		}
		s.ranked[c].each(func(member int32) { s.memberRow(s.row(), c, member, 1) })
		if c < s.resources && s.clocks[c] != nil {
			period := s.period[c].greatest()
			s.cycles[c].each(func(member int32) {
				s.memberRow(s.row(), c, member, s.Problem.Figures[member][c].MaxClock*period)
			})
		}
	}
	s.cycleRows()
	s.Flows.addSlackSources(&s.lp)
	s.lp.solve(s.Flows.objective)
}

func (s *Scorer) row() []float64 {
	for range s.free {
		s.lp.a = append(s.lp.a, 0)
	}
	s.lp.b = append(s.lp.b, s.phi)
	s.lp.rows++
	return s.lp.a[len(s.lp.a)-s.free:]
}

// loadRow computes the load of a time-shared resource or link for each free source.
func (s *Scorer) loadRow(row []float64, c int) {
	for f := range row {
		w := s.sum[c*s.free+f]
		if c < s.resources && s.count[c] > 1 && s.shared != nil {
			w = w.Plus(s.extra[c*s.free+f])
		}
		row[f] = w.Float() * s.unit
	}
}

// memberRow computes the load, multiplied by share, of a member with its own limit.
func (s *Scorer) memberRow(row []float64, c int, member int32, share float64) {
	if s.rule[c] == equally {
		for f := range row {
			row[f] = s.memberLoad(c, member, f) * s.unit * float64(s.count[c])
		}
		return
	}
	table, at := s.alone, int(member)*s.resources+c
	if c >= s.resources {
		table, at = s.crossing, int(member)*s.links+c-s.resources
	}
	for f := range row {
		row[f] = table[at*s.free+f].Float() * s.unit * share
	}
}
