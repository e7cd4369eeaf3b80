// Package cutbound proves lower bounds on the maximum load of all mappings for architectures with shared links.
//
// Its input is an integer problem that package mapper builds (Problem): the loads of units on resources, and of edges
// on links. A Search excludes one target load after another: it proves that no mapping has a maximum load at or below
// the target. The package does not depend on flows, kernels or files.
//
// Let x_e be 1 if the units of edge e are on different resources. Let z_uc be 1 if unit u is on a resource of kind c.
// All mappings with a maximum load of at most T satisfy these rows (rows.go):
//
//   - loads of links
//   - total work and area
//   - x_e ≥ |z_uc - z_vc|
//   - for a root v, a kind c and a tree of edges from v to the units of a set S:
//     Σ_i min(c_i, b) x_i ≥ b z_vc,  b = Σ_{u in S} w_u - T
//
// Here w_u is the work of unit u, and c_i the work of the units behind edge i. The row states that work that does not
// fit on the resource of v must be cut off. These are the knapsack tree inequalities of Ferreira, Martin, de Souza,
// Weismantel and Wolsey (1996). They include the spreading metrics of Even, Naor, Rao and Schieber. Shortest-path trees
// find violated inequalities (separate.go). A dual simplex method (mapper/simplex) proposes multipliers. An integer
// check (certificate.go) verifies their proof, so that rounding errors cannot cause a false proof.
//
// For up to MaxUnits units, there is a stronger bound that implies these rows. A mapping divides the units into
// clusters, one per resource. Prices of units yield a lower bound on the total cost of the cut edges (cluster.go). If
// prices alone do not exclude a target, branch and price follows (tree.go). Its proofs consist of integer prices and an
// exact search for the most valuable cluster.
package cutbound
