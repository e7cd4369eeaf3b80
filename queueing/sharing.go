package queueing

import "fmt"

// SharedUtilization returns the ρ of the geometric occupancy that one class has
// on a server that several classes share by processor sharing:
//
//	own/(1-total+own)
//
// where own is the class's λ/μ alone and total the sum of those of all classes. It
// is the M/M/1 utilization under the service rate that the others leave
// ([SharedServiceRate]).
//
// It is exact for Poisson arrivals and a server that gives each of the n elements
// present, of whatever class, 1/n of itself; service times may then be of any
// distribution and differ between classes (the product form of Baskett, Chandy,
// Muntz and Palacios 1975, type 2): with total U,
//
//	P[n₁, n₂, …] = (1-U) (n₁+n₂+…)! Π ρᵢⁿⁱ/nᵢ!
//
// whose sum over the other classes is geometric with ρᵢ/(1-U+ρᵢ). A scheduler that
// shares among the classes that have work, however much each has, gives a class
// that has little work less delay than this and one that has much work more; the
// total is the same as long as all are served equally fast.
func SharedUtilization(own, total float64) (float64, error) {
	if err := check(total); err != nil {
		return 0, err
	}
	if !(own >= 0 && own <= total) {
		return 0, fmt.Errorf("own utilization %g of a total of %g: %w", own, total, ErrRange)
	}
	if own == 0 {
		return 0, nil
	}
	return own / (1 - total + own), nil
}
