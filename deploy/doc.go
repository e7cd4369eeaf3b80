// Package deploy holds the sources of the C runtime, which every program that runs a mapping is
// built from. Around it:
//
//   - abi: what the processes of a run and their supervisor agree on;
//   - build: a design with a mapping becomes a program;
//   - run: a program runs under supervision, and is measured.
//
// The kernel API is that of Gayen 2008 §2.2.1 (init, go, push, destroy), for arrays and with typed
// functions for each port; runtime/X.h and the generated X_<BLOCK>.h are its reference. In a
// process, kernels are scheduled as there: go in turn, push when data has arrived.
package deploy
