// Package copies owns the search for how many copies of which kernels run where.
//
// Its place in the data's way: it is given the load of each task on each core, as package flow makes it of
// figures, and which tasks may run in copies; it proposes plans, which the whole model then scores. It neither
// knows kernels nor simulates.
//
// Tasks are in the order of the data. A [Plan] divides them into units; a unit has a copy on each of several
// cores, which take batches of the stream in turn. The least greatest load of all plans that cut the tasks
// into intervals, each with cores of its own, is found by dynamic programming over intervals and numbers of cores
// of each class (Orhan et al. 2025, arXiv 2502.10000, "HeRAD", for cores of one or two classes). From there, and
// from the best mapping without copies, moves go downhill: they add, move and take away copies, divide and join
// units, and give copies other turns. Cores may then be shared by units, so that a plan can be better than any
// of intervals.
package copies
