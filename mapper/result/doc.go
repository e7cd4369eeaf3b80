// Package result defines the result file, NAME.result.json: the result of one command, as types and as JSON. Reports
// show only a [Result], so a result file contains as much as the run that produced it.
//
// Package predict and the runs of deploy create results; cmd/internal/report shows them. The package computes nothing.
package result
