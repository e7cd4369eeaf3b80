//go:build !clp

package main

import "xopt/flow"

const hasCLP = false

// clpSolver returns nil: this build has no CLP.
func clpSolver() flow.Solver { return nil }
