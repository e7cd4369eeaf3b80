package queueing

// MD1 is the station with Poisson arrivals, constant service time and room
// without end: an [MG1] without variation. The zero value is an empty station.
type MD1 struct {
	Utilization float64 // ρ, in [0, 1)
}

// mg1 is the same station in general terms.
func (q MD1) mg1() MG1 { return MG1{Utilization: q.Utilization} }

// Validate refuses a utilization outside [0, 1).
func (q MD1) Validate() error { return check(q.Utilization) }

// MeanQueue returns Lq = ρ²/(2(1-ρ)): half that of M/M/1.
func (q MD1) MeanQueue() float64 { return q.mg1().MeanQueue() }

// MeanNumber returns L = Lq + ρ.
func (q MD1) MeanNumber() float64 { return q.mg1().MeanNumber() }

// MeanWait returns the mean time before service, ρ/(2μ(1-ρ)), in seconds, for a
// service rate in elements/s.
func (q MD1) MeanWait(serviceRate float64) float64 { return q.mg1().MeanWait(serviceRate) }

// MeanResponse returns W = L/λ in seconds, for a service rate in elements/s.
func (q MD1) MeanResponse(serviceRate float64) float64 { return q.mg1().MeanResponse(serviceRate) }

// Distribution returns P[N = 0], …, P[N = n-1]; see [MG1.Distribution].
func (q MD1) Distribution(n int) []float64 { return q.mg1().Distribution(n) }

// Tail returns P[N > n], for a whole n; see [MG1.Tail].
func (q MD1) Tail(n float64) float64 { return q.mg1().Tail(n) }

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p;
// the element in service is included.
func (q MD1) Capacity(p float64) (float64, error) { return q.mg1().Capacity(p) }
