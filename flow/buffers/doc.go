// Package buffers computes the size of the buffer of every edge of a mapped application: the least size with
// which data moves, and one recommended size with its level of confidence and its reason.
//
// It stands between queueing, which models stations but no kernels, and mapper, whose search limits and
// minimizes the recommended sizes. Package flow/design refuses sizes below the least, mapper/predict adds the
// recommended ones to a result, and deploy/program allocates at least the least. The rule exists only here.
//
// # Units
//
// A size is in elements of the entire edge: all elements that its writer has sent and its reader has not
// released, on any link of its route. `buffer { e } = n;` sets the same quantity.
//
// # Sources
//
// Beard 2013, Eq. 8, is the papers' figure, printed beside the recommended size. The cost of a finite buffer in
// heavy traffic follows Harrison, Brownian Motion and Stochastic Flow Systems (1985), §5.6: the regulators of a
// reflected Brownian motion between two barriers.
package buffers
