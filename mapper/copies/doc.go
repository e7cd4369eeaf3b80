// Package copies searches for the number of copies of each task and their cores.
//
// Its input is the load of each task on each core, which package flow computes from figures, and the set of tasks that
// may run in copies. It proposes plans; the complete model then scores them. The package does not depend on kernels and
// does not simulate.
//
// Tasks are in the order of the data. A [Plan] divides them into units. A unit has a copy on each of several cores,
// which process batches of the stream in turn. Dynamic programming over intervals of tasks and numbers of cores finds
// the best plan in which each interval has its own cores (Orhan et al. 2025, arXiv 2502.10000, "HeRAD", for cores of
// one or two classes). Local search starts from this plan and from the best mapping without copies. Its moves add, move
// and remove copies, divide and join units, and change turns. The search may share cores between units, so a plan can
// be better than any plan with intervals.
package copies
