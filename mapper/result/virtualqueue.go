package result

// VirtualQueue is all that lies between the two ends of an edge that crosses a link, estimated
// from what agents at the ends can see (Lancaster 2011 ch. 5), with the truth of the simulation
// beside it. Numbers are elements, as an element finds them when it is inserted.
type VirtualQueue struct {
	Link string `json:"link,omitempty"`
	Bulk int    `json:"bulk,omitempty"` // elements of a transfer; 0 where it moves what is there
	// Unknown is why there is no estimate; then nothing else is there.
	Unknown string `json:"unknown,omitempty"`
	// Refuted is why the run was not as the model assumes; then Estimated is not there, and only
	// what can be seen is known.
	Refuted   []string       `json:"refuted,omitempty"`
	Estimated *QueueEstimate `json:"estimated,omitempty"`
	True      *QueueEstimate `json:"true,omitempty"`
	// Distance is the total variation distance of the estimate from the truth, in [0, 1].
	Distance       *Number  `json:"distance,omitempty"`
	Ahead          SubQueue `json:"ahead"`  // before the link, as an insertion finds it
	Behind         SubQueue `json:"behind"` // behind it, as a removal leaves it
	GapCorrelation Number   `json:"gapCorrelation,omitempty"`
	// ServiceCorrelation, as GapCorrelation, is of the logarithms of times that follow each other.
	ServiceCorrelation Number `json:"serviceCorrelation,omitempty"`
	Utilization        Number `json:"utilization,omitempty"` // of the reader
	Sharers            int    `json:"sharers,omitempty"`     // edges on the link, where they are several
	// Late is how many elements more may be seen, and simulated, because an FPGA exchanges data only now and then.
	Late Number `json:"late,omitempty"`
}

// QueueEstimate is a distribution in short.
type QueueEstimate struct {
	Mean Number `json:"mean"`
	P99  Number `json:"p99"`
}

// SubQueue is one of the two parts of a virtual queue that can be seen.
type SubQueue struct {
	Measured  Number `json:"measured"`  // mean
	Predicted Number `json:"predicted"` // mean, by the model
	Distance  Number `json:"distance"`  // total variation distance of the two
	Most      Number `json:"most"`      // that does not refute the model
}
