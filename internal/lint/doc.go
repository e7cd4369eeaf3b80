// Package lint enforces the rules of this repository that the compiler does not check: which room may import which,
// the length of lines and functions, the links and paths in the documentation, and the entries at the top of the
// repository.
//
// No other package imports it. Its test checks the repository and writes nothing. The idea comes from
// cockroachdb/pebble's internal/lint.
package lint
