// Package calibrate measures each kernel alone (Beard 2013 §3.3, Fig. 9): outside its network, with data always
// available at every input and every output always drained.
//
// It runs deployments, and package flow/profile stores its figures. Only the command, the experiments in bench and the
// tables of package cmd/internal/report import it.
//
// The steps are:
//
//   - Run the application once and record the data of every edge.
//   - Run each kernel alone on its recorded input, in windows that alternate with those of the other kernels.
//   - Compute its service rate μ, gain γ, routing R and the variation of its service times from the windows.
//   - Run kernels with short firings also with peers on another core, and all kernels together on one core. The
//     differences are the costs of crossing and of co-location.
//
// A kernel shares its process with its source and sink. Only its own time without waiting counts. It is never starved
// or blocked, and its peers can only disturb its caches.
package calibrate
