package pharos

import (
	"context"
	"fmt"
)

// Monitor is what one of the four monitors of traffic has counted (Rafii 2021, Listings 4.1 to 4.4).
type Monitor struct {
	Cycles, Words, Packets, Bytes uint64
	Averages                      []float64 // of the size of packets, bytes, at the end of each tenth
	Hits                          [][]uint64
}

// way is the time from FPGA to FPGA with which the published 102 and 103 cycles come out, ns; the clocks start at
// different times.
const way = 1008

// published is how many packets were sent.
const published = 1_000_000

// Traffic sends packets from FPGA 1 to 2, which passes on those with a number above .32 of all of them to 3 (4.4).
// All clocks are equally fast: the published counts of cycles are. With 1 000 000 packets it is the experiment of
// the thesis; with fewer all is in proportion, but for the trigger at packet 70.
func (b *Bench) Traffic(ctx context.Context, packets uint64) ([]Monitor, error) {
	if packets == 0 {
		packets = published
	}
	n := func(x uint64) string { return fmt.Sprint(x) }
	var out struct{ Monitors []Monitor }
	err := run(ctx, b.traffic, fmt.Sprintf("sending %d packets", packets), arguments{"hertz": number(hertz),
		"ppm": "0,0,0", "start_ns": "0,3,0.5", "way_ns": n(way), "gap": "4", "packets": n(packets),
		"limit": n(packets / 100 * 32), "average_period": n(packets), "trigger0": "70",
		"trigger1": n(packets / 1000 * 452), "cycles": n(11*packets + 10000)}, &out)
	if err != nil {
		return nil, err
	}
	if len(out.Monitors) != 4 {
		return nil, fmt.Errorf("sending %d packets: %d monitors have counted, want 4", packets, len(out.Monitors))
	}
	return out.Monitors, nil
}
