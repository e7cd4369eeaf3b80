// Package deploy contains the sources of the C runtime, which is part of every program that runs a mapping. Its
// subpackages include:
//
//   - abi: the interface between the processes of a run and their supervisor;
//   - program: builds a program from a design with a mapping;
//   - run: runs a program under supervision, and measures it.
//
// The kernel API follows Gayen 2008 §2.2.1 (init, go, push, destroy), for arrays and with typed functions for each
// port. Its reference is runtime/X.h and the generated X_<BLOCK>.h. As in Gayen 2008, a process calls the go functions
// of its kernels in turn, and push when data has arrived.
package deploy
