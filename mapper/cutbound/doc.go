// Package cutbound proves that no mapping has its greatest load at or below a target, where links
// that kernels share decide.
//
// It stands under mapper in the data's way: mapper says in whole numbers what units bring to
// resources and edges to links (Problem), and a Search excludes one target after the other. It
// knows nothing of flows, kernels and files.
//
// A mapping with its greatest load at or below T fills in x_e, whether the units of edge e are on
// different resources, and z_uc, whether unit u is on a resource of kind c. Rows that hold of
// all such mappings (rows.go) are loads of links, total work and area, x_e ≥ |z_uc - z_vc|, and, for
// a root v, a kind c and a tree of edges from v to the units of a set S,
//
//	Σ_i min(c_i, b) x_i ≥ b z_vc,  b = Σ_{u in S} w_u - T
//
// with c_i the work of the units behind edge i: what exceeds a resource that v is on has to be cut
// off. These are the knapsack tree inequalities of Ferreira, Martin, de Souza, Weismantel and Wolsey
// (1996), and with them the spreading metrics of Even, Naor, Rao and Schieber; trees of shortest paths
// separate them (separate.go). A dual simplex (simplex.go) finds multipliers; what they prove is worked out again in
// whole numbers (certificate.go), so that rounding cannot prove a falsehood.
//
// Up to MostUnits units there is a stronger bound, which these rows follow from: a mapping divides the units into
// clusters, one for each resource, and prices of units show what all clusters cost together at the least
// (cluster.go). Where prices alone do not exclude a target, branch and price does (tree.go). Its proofs are in whole
// numbers, too: prices, and a search for the cluster that is worth most.
package cutbound
