// Package result owns the result file, NAME.result.json: what one command found, as types and as JSON.
// Everything that is shown comes from a [Result] and from nothing else, so that a result file says as
// much as the run that made it.
//
// It stands between package predict and package record, which fill a result, and package view, which
// shows it. It computes nothing.
package result
