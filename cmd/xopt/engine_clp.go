//go:build clp

package main

import "xopt/flow"

const hasCLP = true

// clpSolver returns the edge-by-edge linear program on CLP.
func clpSolver() flow.Solver { return flow.FullLP{} }
