package queueing

// MG1 is a station with Poisson arrivals, general service and unlimited space. Its means depend only on the mean and
// the variance of the service time (Pollaczek and Khinchine). Its occupancy distribution depends on the complete
// distribution of the service time. This package uses the usual distributions with two given moments (Tijms, A First
// Course in Stochastic Models). The distribution is gamma for cs² ≤ 1 (constant for 0, Erlang for 1/k, exponential for
// 1). For cs² > 1, the distribution is hyperexponential with two phases of balanced means. The zero value is an empty
// station with constant service.
type MG1 struct {
	Utilization float64 // ρ, in [0, 1)
	ServiceSCV  float64 // cs², from 0 to 1e12
}

// Validate returns an error for a utilization outside [0, 1) or a negative variation.
func (q MG1) Validate() error {
	if err := check(q.Utilization); err != nil {
		return err
	}
	return checkSCV("service", q.ServiceSCV)
}

// MeanQueue returns Lq = ρ²/(1-ρ) · (1+cs²)/2, the mean number of waiting elements.
func (q MG1) MeanQueue() float64 {
	return MM1{q.Utilization}.MeanQueue() * (1 + q.ServiceSCV) / 2
}

// MeanNumber returns L = Lq + ρ, the mean number of elements in the station.
func (q MG1) MeanNumber() float64 { return q.MeanQueue() + q.Utilization }

// Distribution returns P[N = 0], …, P[N = n-1], or nil for an invalid station. Distribution needs n² operations for cs²
// < 1.
func (q MG1) Distribution(n int) []float64 {
	if n <= 0 || q.Validate() != nil {
		return nil
	}
	p := make([]float64, n)
	if q.ServiceSCV >= 1 {
		h := q.hyper()
		for i := range p {
			p[i] = h.probability(float64(i))
		}
		return p
	}
	arrivals := make([]float64, n+1)
	q.arrivalTails(arrivals)
	for i := range p {
		q.next(p, arrivals, i)
	}
	return p
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p, including the element in service.
func (q MG1) Capacity(p float64) (float64, error) {
	if err := q.Validate(); err != nil {
		return 0, err
	}
	if err := checkProbability(p); err != nil {
		return 0, err
	}
	if q.Utilization <= p { // P[N > 0] is ρ
		return 1, nil
	}
	if q.ServiceSCV >= 1 {
		h := q.hyper()
		return h.capacity(p), nil
	}
	var c chain
	q.embed(&c)
	return c.capacity(p), nil
}
