package wire

// SecretBytes is the size of the secret of a run.
const SecretBytes = 32

// FileHead announces a file.
type FileHead struct {
	Name       string // in the folder of the part: no path
	Size       int64
	Executable bool
}

// Connections says where the other hosts listen.
type Connections struct {
	// Addresses are host:port, by host; "" for those that are not connected to.
	Addresses []string
}

// Machine tells of the host of a part.
type Machine struct {
	Boot       string // the same for parts that are on one machine, since it was started; "" where not known
	Processors []int  // that the part may use
}

// Processors says on which processor each process of a part runs, by process; -1 for any, and for those of others.
type Processors struct{ Of []int }

// Listening tells where a part listens for the connections of edges that lead to its host; "" for nowhere.
type Listening struct{ Address string }

// Strangers reports the connections that a host refused while the others connected: their number, and the addresses of
// the first ones.
type Strangers struct {
	Count int
	From  []string
}

// Said is what a process has printed.
type Said struct {
	Process int
	Text    []byte
	Dropped int // bytes before it which are not sent
}

// Exit tells that a process has ended.
type Exit struct {
	Process int
	Status  uint32 // as Linux gives it
	CPU     int64  // processor time that it took, ns
}

// Trouble is why a part cannot go on.
type Trouble struct{ Kind, Kernel, Text string }
