package queueing

// Estimator is a named way to size a buffer.
type Estimator struct {
	Name  string
	Holds string // when it holds, in words
	// Elements returns the capacity in elements, the one in service included,
	// for a probability p.
	Elements func(Load, float64) (float64, error)
}

// Load is what an estimator is told of a station.
type Load struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²; negative when unknown, taken as 1
	ServiceSCV  float64 // cs²; negative when unknown, taken as 1
}

// Estimators returns all estimators, the papers' first.
func Estimators() []Estimator {
	return []Estimator{
		{"M/M/1 Eq. 8", "Beard 2013, Eq. 8, as printed: P_K is the probability of K, not of exceeding it; Poisson arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return Capacity(l.Utilization, p) }},
		{"M/M/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return TailCapacity(l.Utilization, p) }},
		{"M/D/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, constant service time",
			func(l Load, p float64) (float64, error) { return MD1{l.Utilization}.Capacity(p) }},
		{"G/G/1", "P[N > K] ≤ P_K in heavy traffic, from the coefficients of variation; no correlation",
			func(l Load, p float64) (float64, error) {
				return GG1{l.Utilization, orOne(l.ArrivalSCV), orOne(l.ServiceSCV)}.Capacity(p)
			}},
	}
}

func orOne(scv float64) float64 {
	if scv < 0 {
		return 1
	}
	return scv
}
