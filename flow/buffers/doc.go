// Package buffers computes two buffer sizes for every edge of a mapped application. The first is the minimum size at
// which data flows. The second is a recommended size, with a level of confidence and a reason.
//
// This package uses package queueing, which models stations and queues without kernels. The search of package mapper
// limits and minimizes the recommended sizes. Package flow/design rejects sizes below the minimum, mapper/predict adds
// the recommended sizes to a result, and deploy/program allocates at least the minimum size. Only this package computes
// sizes.
//
// # Units
//
// A size is the maximum number of elements on the entire edge. These are the elements that the writer has sent and the
// reader has not released, including elements on links. `buffer { e } = n;` sets this size.
//
// # Sources
//
// Reports show the size of Beard 2013, Eq. 8, beside the recommended size. The cost of a finite buffer in heavy traffic
// follows Harrison, Brownian Motion and Stochastic Flow Systems (1985), §5.6. This section computes the regulators of a
// reflected Brownian motion between two barriers.
package buffers
