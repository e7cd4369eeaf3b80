package queueing

// Estimator is a named way to size a buffer.
type Estimator struct {
	ID    string // short and stable, for options and files
	Name  string // for headings
	Holds string // when it holds, in words
	// Elements returns the capacity in elements, the one in service included,
	// for a probability p.
	Elements func(l Load, p float64) (float64, error)
}

// Load is what an estimator is told of a station.
type Load struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²; negative when unknown, taken as 1
	ServiceSCV  float64 // cs²; negative when unknown, taken as 1
}

// Estimators returns all estimators in the order in which a report prints them,
// the papers' first.
func Estimators() []Estimator {
	return []Estimator{
		{"mm1-eq8", "M/M/1 Eq. 8", "Beard 2013, Eq. 8, as printed: P_K is the probability of K, not of exceeding " +
			"it; Poisson arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return Capacity(l.Utilization, p) }},
		{"mm1-tail", "M/M/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return TailCapacity(l.Utilization, p) }},
		{"md1-tail", "M/D/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, constant service time",
			func(l Load, p float64) (float64, error) { return MG1{Utilization: l.Utilization}.Capacity(p) }},
		{"mg1-tail", "M/G/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, independent service times of the given " +
			"variation, gamma up to 1 and hyperexponential above",
			func(l Load, p float64) (float64, error) {
				return MG1{l.Utilization, orOne(l.ServiceSCV)}.Capacity(p)
			}},
		{"mm1k-blocking", "M/M/1/K", "at most P_K of the arrivals find the buffer full; Poisson arrivals that do " +
			"not come again, exponential service",
			func(l Load, p float64) (float64, error) {
				if err := check(l.Utilization); err != nil {
					return 0, err
				}
				return BlockingCapacity(l.Utilization, p)
			}},
		{"gg1-heavy", "G/G/1", "P[N > K] ≤ P_K in heavy traffic, from the coefficients of variation; no correlation",
			func(l Load, p float64) (float64, error) {
				return GG1{l.Utilization, orOne(l.ArrivalSCV), orOne(l.ServiceSCV)}.Capacity(p)
			}},
	}
}

// orOne takes an unknown variation as that of the exponential distribution.
func orOne(scv float64) float64 {
	if scv < 0 {
		return 1
	}
	return scv
}
