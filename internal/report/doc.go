// Package report owns results: what one command found, as the file
// NAME.result.json and as text for a terminal. Everything that is printed comes
// from a [Result] and from nothing else, so that a result file says as much as
// the run that made it.
//
// It stands last in the data's way, after design, flow, queueing and mapper,
// whose findings it puts together. It computes no model.
package report
