// Package bench holds applications with real kernels, and the experiments that
// measure this program itself: what a ring moves (beside a pipe, a socket and a Go
// channel) and what taps cost the application that they measure (Lancaster 2011
// §4.7.2).
//
// Each application is a folder with X files and C sources. Tests deploy them in
// many mappings: what they compute must not depend on the mapping. It stands
// beside cmd; no package but cmd imports it.
package bench
