// Package wire implements the protocol between the hosts of a run. Its parts are:
//
//   - the messages between the control of a run and its part on each host (Conn);
//   - the copies of each other's shared memory (Mirror);
//   - the offsets of their clocks (Clock);
//   - the mutual proof that two hosts know the secret of the run, before a connection carries an edge (Offer, Accept).
//
// It checks all data from other hosts before use. A message must have a known kind, and at most the size for that kind.
// A copy must stay within the copied memory.
package wire
