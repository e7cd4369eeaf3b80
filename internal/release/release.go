// Package release holds the version of the tool, which the command prints and generated files carry.
// It stands below all others.
package release

// Version is the version of the tool; a build from a commit says which on the command line.
const Version = "0.1.0"
