//go:build clp

package flow

import "testing"

// BenchmarkFullLPSolve writes down and solves the edge-by-edge linear program
// of one mapping on CLP, bottleneck sequence included.
func BenchmarkFullLPSolve(b *testing.B) { benchmarkSolver(b, FullLP{}) }
