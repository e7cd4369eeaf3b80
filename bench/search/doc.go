// Package search owns the comparison of methods of search: the same problems, the same time, in turns, and how
// good the best mapping was by then.
//
// The problems are task graphs of package taskgraph on a machine such as that of Beard 2013, Table 2, with drawn
// figures, or those that the caller gives. It stands above mapper; only cmd imports it.
package search
