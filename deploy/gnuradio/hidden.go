package gnuradio

import (
	"cmp"
	"slices"
)

// This file completes the figures of blocks inside hierarchical blocks in C++, which Python cannot access.

// ends returns the positions of an edge's blocks and ports. ok is false for unknown blocks and ports.
func (m *Measurement) ends(e Edge) (from, out, to, in int, ok bool) {
	if from, to = m.index(e.From), m.index(e.To); from < 0 || to < 0 {
		return 0, 0, 0, 0, false
	}
	out, in = slices.Index(m.Blocks[from].OutPorts, e.Out), slices.Index(m.Blocks[to].InPorts, e.In)
	return from, out, to, in, out >= 0 && in >= 0 && out < len(m.Blocks[from].Outputs) && in < len(m.Blocks[to].Inputs)
}

// fillSizes copies the sizes of items along edges to blocks with unknown sizes.
func (m *Measurement) fillSizes() {
	for _, e := range m.Edges {
		if from, out, to, in, ok := m.ends(e); ok {
			a, b := &m.Blocks[from].Outputs[out], &m.Blocks[to].Inputs[in]
			*a, *b = cmp.Or(*a, *b), cmp.Or(*b, *a)
		}
	}
}

// fillRates copies the rates of items along edges to ports with unknown rates. If ports remain, it assumes that their
// blocks produce as many items as they consume, and sets [Figures.Assumed].
func (m *Measurement) fillRates() {
	hidden := make(map[int]bool) // blocks with unknown rates
	for i := range m.Figures {
		if m.Figures[i].IsIncomplete() {
			hidden[i] = true
		}
	}
	for range len(hidden) + 1 {
		for _, e := range m.Edges {
			if from, out, to, in, ok := m.ends(e); ok {
				a, b := &m.Figures[from].Written[out], &m.Figures[to].Read[in]
				*a, *b = knownRate(*a, *b), knownRate(*b, *a)
			}
		}
		if !m.assumeRate() {
			break
		}
	}
	for i := range hidden {
		m.Figures[i].countItems()
	}
}

// knownRate returns the first rate that is not -1.
func knownRate(a, b float64) float64 {
	if a < 0 {
		return b
	}
	return a
}

// assumeRate sets the unknown rates of the first block that has known and unknown rates. It reports whether there is
// such a block.
func (m *Measurement) assumeRate() bool {
	for i := range m.Figures {
		f := &m.Figures[i]
		if !f.IsIncomplete() {
			continue
		}
		largest := slices.Max(slices.Concat(f.Read, f.Written))
		if largest < 0 {
			continue
		}
		for _, rates := range [][]float64{f.Read, f.Written} {
			for p := range rates {
				rates[p] = knownRate(rates[p], largest)
			}
		}
		f.Assumed = true
		return true
	}
	return false
}
