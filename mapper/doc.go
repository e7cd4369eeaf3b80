// Package mapper searches the mappings of an application to an architecture for
// those of greatest throughput, under the user's constraints.
//
// It stands after flow in the data's way: flow scores a mapping, mapper decides
// which to score. It never measures.
//
// A search starts from the random walks of Beard 2013 §4.4 and greedy lists and goes
// on by simulated annealing, restarted and polished, on as many threads as asked for,
// which tell each other their best; where the space is small it tries every mapping
// instead and says that its answer is optimal. Identical resources are
// interchangeable: mappings that differ only by renaming them count as one. Beside
// throughput (goal.go) it looks for the best of latency, area, buffers and others
// (measures.go), or for the front of several (front.go), and ranks mappings by what
// the intervals of their figures leave sure (robust.go).
//
// After a search, a bound that holds for every mapping says how much better one
// could still be: a relaxation in which kernels may be cut in pieces (bound.go; on
// CLP, with crossings, relax.go; for several free sources, multisource.go), one of whole
// kernels that fill resources, as in bin packing (packingbound.go), branch and bound with the first
// (prove.go), and where links are slow, one of edges that have to be cut (cut.go, package cutbound).
package mapper
