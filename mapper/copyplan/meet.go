package copyplan

import (
	"encoding/binary"
	"slices"

	"xopt/flow/xlang"
)

// roundOf returns, for each batch of a round, the copy that processes the batch.
func roundOf(copies []Copy) []int {
	turns := make([]int, len(copies))
	for i, c := range copies {
		turns[i] = c.Turns
	}
	return xlang.Round(turns)
}

// meetings caches the fractions of a stream that flow from each copy of one unit to each copy of another unit. The
// turns of both units are the key.
type meetings struct {
	ids   map[string]int
	key   []byte               // buffer of id
	turns [][]Copy             // by identity
	found map[[2]int][]float64 // by two identities
}

// maxMeetings is the maximum number of cached pairs.
const maxMeetings = 20000

// id returns a number that identifies the turns of a unit.
func (m *meetings) id(copies []Copy) int {
	m.key = m.key[:0]
	for _, c := range copies {
		m.key = binary.LittleEndian.AppendUint16(m.key, uint16(c.Turns)) // Turns is at most longTurns
	}
	id, ok := m.ids[string(m.key)]
	if !ok {
		if m.ids == nil {
			m.ids = make(map[string]int)
		}
		id = len(m.turns)
		m.ids[string(m.key)], m.turns = id, append(m.turns, slices.Clone(copies))
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
	part := xlang.Meetings(roundOf(m.turns[key[0]]), roundOf(m.turns[key[1]]), len(a.Copies), len(b.Copies))
	m.found[key] = part
	return part
}

// clone returns a deep copy of units.
func clone(units []Unit) []Unit {
	out := make([]Unit, len(units))
	for i, u := range units {
		out[i] = Unit{Tasks: slices.Clone(u.Tasks), Copies: slices.Clone(u.Copies)}
	}
	return out
}
