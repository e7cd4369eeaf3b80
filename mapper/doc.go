// Package mapper searches for the mappings of an application to an architecture with the largest throughput, under the
// user's constraints. Package mapper selects the mappings to evaluate, and package flow evaluates them. Package mapper
// never measures.
//
// A search starts with the random walks of Beard 2013 §4.4 and with list scheduling. It continues with restarted
// simulated annealing and local search, on several threads that exchange their best mappings. If the space is small,
// the search scores every mapping instead, and its result is optimal. Mappings that differ only in the names of
// identical resources count as one.
//
// Besides throughput (goal.go), a search can optimize latency, area, buffers and other objectives (measures.go), or
// find the Pareto front of several objectives (front.go). It can rank mappings by a low quantile of their throughput
// over the confidence intervals of the figures (robust.go).
//
// Upper bounds on the throughput of all mappings limit the possible improvement:
//   - a relaxation that may split kernels (bound.go; with several free sources, multisource.go)
//   - bin packing of unsplit kernels (packingbound.go)
//   - branch and bound, which uses the relaxation (proof.go)
//   - for slow links, a bound on the edges that must be cut (cut.go, package cutbound)
package mapper
