// Package exchange makes applications in X of graphs that other tools keep, SDF3 (package
// flow/exchange/sdf3) and TGFF (package flow/exchange/tgff), and such graphs of applications.
//
// Rates become multiples of join and emit, so that counts are static; execution times become
// figures of a platform for each type of processor, with the file as their origin; initial tokens
// become initial elements, token sizes element sizes. What the other side cannot say is told in
// notes, and so are names that had to change.
package exchange
