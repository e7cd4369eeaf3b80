package copyplan

import (
	"slices"

	"xopt/flow/xlang"
)

// roundOf returns the copy that processes each batch of a round.
func roundOf(copies []Copy) []int {
	turns := make([]int, len(copies))
	for i, c := range copies {
		turns[i] = c.Turns
	}
	return xlang.Round(turns)
}

// meetings caches the fractions of a stream that flow from each copy of one unit to each copy of another, by the turns
// of both units.
type meetings struct {
	ids    map[string]int
	key    []byte               // buffer of id
	rounds [][]int              // by identity: the copy that processes each batch
	found  map[[2]int][]float64 // by two identities
}

// maxMeetings is the maximum number of cached pairs.
const maxMeetings = 20000

// id returns the identity of the turns of a unit.
func (m *meetings) id(copies []Copy) int {
	m.key = m.key[:0]
	for _, c := range copies {
		m.key = append(m.key, byte(c.Turns)) // at most longTurns
	}
	id, ok := m.ids[string(m.key)]
	if !ok {
		if m.ids == nil {
			m.ids = make(map[string]int)
		}
		id = len(m.rounds)
		m.ids[string(m.key)], m.rounds = id, append(m.rounds, roundOf(copies))
	}
	return id
}

// of returns the fraction of the stream from copy i of a to copy j of b, at i·(copies of b) + j.
func (m *meetings) of(a, b *slot) []float64 {
	key := [2]int{a.turns, b.turns}
	if part, ok := m.found[key]; ok {
		return part
	}
	if m.found == nil || len(m.found) > maxMeetings {
		m.found = make(map[[2]int][]float64)
	}
	from, to := m.rounds[key[0]], m.rounds[key[1]]
	part := make([]float64, len(a.Copies)*len(b.Copies))
	n := len(from) * len(to) / divisor(len(from), len(to))
	for batch := range n {
		part[from[batch%len(from)]*len(b.Copies)+to[batch%len(to)]] += 1 / float64(n)
	}
	m.found[key] = part
	return part
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// clone returns a deep copy.
func clone(units []Unit) []Unit {
	out := make([]Unit, len(units))
	for i, u := range units {
		out[i] = Unit{Tasks: slices.Clone(u.Tasks), Copies: slices.Clone(u.Copies)}
	}
	return out
}
