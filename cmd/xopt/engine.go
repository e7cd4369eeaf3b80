package main

import (
	"xopt/cmd/faults"
	"xopt/flow"
	"xopt/internal/fault"
)

// solver returns a solver by name.
func solver(name string) (flow.Solver, error) {
	switch name {
	case "fast":
		return flow.Fast{}, nil
	case "clp":
		if s := clpSolver(); s != nil {
			return s, nil
		}
		return nil, faults.NoCLP.Usagef("this xopt was built without CLP; install Debian's " +
			"coinor-libclp-dev and build with: go build -tags clp ./cmd/xopt")
	}
	return nil, fault.WrongValue("engine", name, "fast or clp")
}
