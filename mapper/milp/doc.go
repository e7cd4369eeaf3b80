// Package milp owns running a solver of mixed integer programs that the user has: CBC, HiGHS, SCIP or Gurobi. It
// hands it a model in MPS format, and reads the bound and the best value that the solver prints.
//
// It stands beside mapper in the data's way, which makes models, and knows nothing of mappings. A solver is a program
// of somebody else: it may be missing, crash, hang, or print what nobody understands, and each of these is one
// error that says so. What it says is computed in floating point and is not checked here.
package milp
