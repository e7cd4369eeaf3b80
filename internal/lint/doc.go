// Package lint owns the rules of this repository that the compiler does not know: which
// package may import which (floors), how long lines and functions may be, that links and paths
// in the documentation exist, and what stands at the top of the repository.
//
// It stands beside the data's way: nothing imports it, and its test holds the rules against the
// repository. It only reads files. The idea is that of cockroachdb/pebble's internal/lint.
package lint
