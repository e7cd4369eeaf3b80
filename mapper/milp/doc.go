// Package milp runs an installed mixed-integer solver: CBC, HiGHS, SCIP or Gurobi. It passes a model in MPS format,
// and parses the bound and the best value that the solver prints.
//
// Package mapper builds the models; milp does not depend on mappings. A solver may be missing, crash, hang, or print
// unknown output. Each of these is a specific error. Solvers compute in floating point, and their results are not
// checked here.
package milp
