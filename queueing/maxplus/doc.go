// Package maxplus simulates stations that exchange elements over buffers of finite size. It supports joins, splits,
// gains, broadcasts, shared servers, bulk transfers, latencies, and feedback with initial elements. It computes
// throughput, occupancy and latency. For a deadlock, it finds the cycle of full and empty channels.
//
// Package flow/buffers creates such a network from a mapped application. Package queueing contains closed forms for
// simpler cases. This package does not depend on kernels, links or bytes. It counts elements and firings.
//
// A firing of a station starts when its server is free, its input elements are available, and there is space for its
// outputs. At the end of the firing, the station returns the space of its inputs, and its outputs become visible. A
// max-plus recursion therefore determines the departure times (Baccelli, Cohen, Olsder, Quadrat 1992, Synchronization
// and Linearity, ch. 2), except at shared servers:
//
//	D(n) = max(D(n-1), arrival of the inputs of firing n, return of the space that it needs) + S(n)
//
// A server that several stations share in turns chooses its next firing from the available elements. It advances as far
// as the arrivals of these elements are known (turns.go). In other cases, the order of events matters: processor
// sharing, flush times, shared links with bulks, firings without time, occupancy and latency. In these cases the
// simulator processes all events in time order (run.go).
//
// Both methods are necessary. The recursion needs no clock, and is fast enough for the many simulations that compare
// buffer sizes. However, it cannot measure occupancy and latency, which depend on the order of events of different
// stations. Tests compare both methods with a third, slow simulator (twin_test.go).
package maxplus
