// Package cache keeps what compilers and tools have made, by the content of what it was made from: the compiled
// runtime, the objects of kernels, Verilator's library, simulations, syntheses. It belongs to a user, in the folder
// XOPT_CACHE, else xopt in the folder that the system gives a user for caches.
//
// An entry is a folder named by its key, with a list of its files and their sums. It is written beside and renamed,
// so that it is whole or not there, and its sums are checked when it is taken, so that a damaged one is made again.
// Several processes may use one cache at once: who comes second waits for what the first makes, and takes it.
// An entry that is in use is locked (flock), and not removed. The least recently used entries go first when all
// together take more than the size that the cache may have. What all take stands in a file, so that not every process
// has to count them.
//
// What is kept is run. So a folder that another user owns or may write to is refused; where a cache cannot be used,
// work goes on in a temporary folder, and a note says why.
//
// The cache of github.com/rogpeppe/go-internal does not replace it: that one keeps single files, not folders, trims by
// age and not by size, and may remove what is in use. Its locks of files are the same flock.
//
// It stands below all that compiles: deploy and hdl/rtl ask it, and it knows none of them.
package cache
