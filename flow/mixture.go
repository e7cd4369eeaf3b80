package flow

// Mixture finds how free sources share a throughput best: with loads that each source alone would bring to
// resources and links, the mixture of them whose greatest load is least. It allocates nothing once it has grown.
type Mixture struct {
	lp  packing
	one []float64
}

// Begin forgets all loads, for a number of free sources.
func (m *Mixture) Begin(sources int) {
	m.lp.reset(sources)
	for len(m.one) < sources {
		m.one = append(m.one, 1)
	}
}

// Add adds what each source alone would bring, 0 or more: to one resource or link, or as one of those members that
// are limited by themselves.
func (m *Mixture) Add(loads ...float64) { m.lp.add(loads, 1) }

// Least is the least, over all mixtures Σ λ = 1, λ ≥ 0, of the greatest of Σ λ × load; 0 where some source brings
// nothing, or where rounding leaves the answer open. It is 1/max Σ z with Σ z × load ≤ 1 for each row.
func (m *Mixture) Least() float64 {
	if m.lp.rows == 0 {
		return 0
	}
	m.lp.solve(m.one[:m.lp.cols])
	if m.lp.status != packed {
		return 0
	}
	return 1 / m.lp.value()
}
