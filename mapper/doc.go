// Package mapper searches the mappings of an application to an architecture for
// those of greatest throughput, under the user's constraints.
//
// It stands after flow in the data's way: flow scores a mapping, mapper decides
// which to score. It never measures.
//
// A search starts from the random walks of Beard 2013 §4.4 and goes on by
// simulated annealing, restarted and polished, on as many threads as asked for;
// where the space is small it tries every mapping instead and says that its
// answer is optimal. Identical resources are interchangeable: mappings that
// differ only by renaming them count as one.
package mapper
