package result

// WhatIf is the throughput of the first candidates when one thing is other than it is.
type WhatIf struct {
	Name string `json:"name"` // "bandwidth of PCIX", "clock of fpga"
	// Unit is that of Now and Values: "B/s", or "" for times the present clock.
	Unit       string     `json:"unit"`
	Now        Number     `json:"now"`
	Origin     string     `json:"origin"` // of Now
	Values     []Number   `json:"values"`
	Throughput [][]Number `json:"throughput"` // of each candidate, by value
}
