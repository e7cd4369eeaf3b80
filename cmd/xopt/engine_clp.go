//go:build clp

package main

import "xopt/flow"

const hasCLP = true

// clpSolver returns the solver of the edge-by-edge linear program that uses CLP.
func clpSolver() flow.Solver { return flow.FullLP{} }
