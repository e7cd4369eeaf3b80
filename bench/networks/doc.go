// Package networks makes networks of hosts out of one machine, and holds what xopt predicts of mappings over them
// against runs: each host is a network namespace of Linux, and cables between them have a bandwidth and a delay.
//
// It stands below the command, beside the other benchmarks: it calibrates, searches, predicts and runs with the
// packages that the commands of those names use. It needs root, for nobody else may make namespaces.
package networks
