// Package maxplus owns the event simulation of stations that exchange elements over buffers of
// finite size: joins, splits, gains, broadcasts, stations that share a server, transfers in
// bulks, latencies, feedback with initial elements. It gives throughput, occupancy, latency, and
// where a network stops, the cycle of full and empty channels.
//
// It stands between the equations of package queueing and package flow/buffers, which makes
// such a network of a mapped application. It knows no kernels, links or bytes: what is counted
// are elements and firings.
//
// A firing of a station starts when its server is free, the elements that it takes are there, and
// there is room for those that it sends; at its end, what it took is given back, and what it sends
// is seen. So the departure times are those of a max-plus recursion (Baccelli, Cohen, Olsder,
// Quadrat 1992, Synchronization and Linearity, ch. 2) wherever no server is shared:
//
//	D(n) = max(D(n-1), arrival of what firing n takes, return of the room that it needs) + S(n)
//
// A server that several stations share in turns asks what is there at a time; it goes on as long as
// that is known (turns.go). Where more depends on what comes first - processor sharing, flush
// times, shared links with bulks, firings without time, occupancy and latency - the events of all are done
// in the order of their times (run.go).
//
// Both stay. The recursion needs no clock, and runs the many simulations that compare sizes of buffers. It cannot
// observe occupancy and latency, which depend on the order of events of different stations. Tests compare both with a
// third, slow simulator (twin_test.go).
package maxplus
