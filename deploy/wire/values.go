// Package wire implements the protocol between the hosts of a run. Its parts are:
//
//   - the messages between the controller of a run and its part on each host (Conn);
//   - the copies of each other's shared memory (Mirror);
//   - the offsets of their clocks (Clock);
//   - the mutual proof that two hosts know the secret of the run, before a connection carries an edge (Offer, Accept).
//
// It checks all data from other hosts before use. A message must have a known kind, and at most the size for that kind.
// A copy must stay within the copied memory.
package wire

// SecretBytes is the size of the secret of a run.
const SecretBytes = 32

// FileHead announces a file.
type FileHead struct {
	Name       string // file name in the folder of the part, without a path
	Size       int64
	Executable bool
}

// Connections contains the addresses of the other hosts.
type Connections struct {
	// Addresses are host:port, by host; "" for hosts without a connection.
	Addresses []string
}

// Machine describes the host of a part.
type Machine struct {
	Boot       string // equal for parts on the same machine since its start; "" if unknown
	Processors []int  // processors that the part may use
}

// Processors contains the processor of each process; -1 for any, and for processes of other parts.
type Processors struct{ Of []int }

// Listening is the address at which a part listens for the edges that lead to its host; "" for none.
type Listening struct{ Address string }

// Strangers reports the connections that a host refused during connection setup: their number, and the first addresses.
type Strangers struct {
	Count int
	From  []string
}

// Output is a piece of a process's output.
type Output struct {
	Process int
	Text    []byte
	Dropped int // unsent bytes before this piece
}

// Exit describes the end of a process.
type Exit struct {
	Process int
	Status  uint32 // status as reported by Linux
	CPU     int64  // processor time in ns
}

// Trouble is the reason why a part cannot continue.
type Trouble struct{ Kind, Kernel, Text string }
