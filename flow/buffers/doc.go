// Package buffers computes the size of the buffer of every edge of a mapped application: the least size at which data
// flows, and a recommended size with its level of confidence and its reason.
//
// It uses package queueing, whose models have no kernels. The search of package mapper limits and minimizes the
// recommended sizes. Package flow/design rejects sizes below the least, mapper/predict adds the recommended sizes to a
// result, and deploy/program allocates at least the least size. Only this package implements the rule.
//
// # Units
//
// A size is in elements of the entire edge: all elements that its writer has sent and its reader has not released,
// including those on links. `buffer { e } = n;` sets the same quantity.
//
// # Sources
//
// The papers' figure is Beard 2013, Eq. 8, which reports show beside the recommended size. The cost of a finite buffer
// in heavy traffic follows Harrison, Brownian Motion and Stochastic Flow Systems (1985), §5.6: the regulators of a
// reflected Brownian motion between two barriers.
package buffers
