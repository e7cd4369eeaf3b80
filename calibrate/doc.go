// Package calibrate measures kernels alone (Beard 2013 §3.3, Fig. 9): each is taken
// out of its network, every input always has data, every output is always drained.
//
// It stands above package flow/profile, which holds what comes out, because it runs
// deployments. Only the command, the experiments in bench and the tables of package
// cmd/internal/report import it. The steps are:
// the application runs once and every edge's data is recorded; each kernel runs by
// itself, fed with what its inputs carried, in windows that take turns with those of
// the other kernels; the windows give its service rate μ, gain γ, routing R and how
// its service times vary. Kernels with short firings run with peers on another core too,
// and all kernels together on one: the differences are what crossing and co-location cost.
//
// A kernel shares its process with what feeds and drains it, and only its own time
// counts, without waiting: it is never starved or blocked, and what the others do
// costs it nothing but cache.
package calibrate
