// Package sdf3 reads and writes static dataflow graphs in the XML format of the tool SDF3 (Stuijk,
// Geilen and Basten 2006, "SDF For Free"), so that others' graphs can be used and ours be given to
// others. Of a file it takes what a graph and its platform are made of: actors with the execution
// time on each type of processor, ports with rates, channels with initial tokens, token sizes and
// buffer sizes, and the tiles of an architecture. Cyclo-static graphs and those with scenarios are
// refused.
//
// It knows nothing of X; package flow/exchange makes applications of its graphs.
package sdf3
