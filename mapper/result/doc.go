// Package result owns the result file, NAME.result.json: the result of one command, as types and as JSON. Reports
// show a [Result] and nothing else, so a result file contains as much as the run that produced it.
//
// Package predict and the runs of deploy fill a result; cmd/internal/report shows it. The package computes nothing.
package result
