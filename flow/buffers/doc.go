// Package buffers owns how large the buffer of every edge of a mapped application must be, and
// how large it should be: the least size with which data moves, and one recommended size with
// the level that it deserves and the reason for it.
//
// It stands between queueing, which knows stations but no kernels, and mapper, whose search
// limits and minimizes what it recommends. Package flow/design refuses smaller sizes than
// the least, mapper/predict puts the recommended ones into a result, and deploy/program
// allocates no less than the least: one rule, in one place.
//
// # What is counted
//
// A size is in elements, of the whole edge: all that has been sent by its writer and not yet been
// released by its reader, on whatever links it is. That is what `buffer { e } = n;` gives.
//
// # Sources
//
// Beard 2013, Eq. 8, is the papers' figure, which is printed beside the recommended size. What a
// finite buffer costs in heavy traffic is Harrison, Brownian Motion and Stochastic Flow Systems
// (1985), §5.6: the regulators of a reflected Brownian motion between two barriers.
package buffers
