// Package wire is what the hosts of a run say to each other: the messages between the control of a run and its part
// on each host (Conn), the copies of shared memory that they hold of each other (Mirror), how far their clocks are
// apart (Clock), and how two hosts make sure that each knows the secret of the run before an edge goes over a
// connection (Offer, Accept).
//
// Whatever comes from another host is checked before it is believed: a message has a kind that exists and no more
// bytes than its kind may have, and a copy stays within the memory that it is a copy of.
package wire
