package pharos

import (
	"context"
	"fmt"
)

// Monitor contains the counts of one of the four traffic monitors (Rafii 2021, Listings 4.1 to 4.4).
type Monitor struct {
	Cycles, Words, Packets, Bytes uint64
	Averages                      []float64 // mean packet size in bytes at the end of each tenth of the traffic
	Hits                          [][]uint64
}

// way is the latency of the network between two FPGAs in ns. With clocks that start at different times, it results in
// the published 102 and 103 cycles.
const way = 1008

// published is the number of packets sent in the experiment of the thesis.
const published = 1_000_000

// Traffic sends packets from FPGA 1 to FPGA 2. FPGA 2 forwards the packets numbered above 0.32 of the total to FPGA 3
// (4.4). All clocks have equal rates, as in the published cycle counts. 0 packets selects the 1,000,000 packets of the
// thesis. For fewer packets, all numbers scale, except the trigger at packet 70.
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
		return nil, fmt.Errorf("sending %d packets: %d monitors reported counts, expected 4", packets,
			len(out.Monitors))
	}
	return out.Monitors, nil
}

// Latencies is a column of Table 4.1. Latencies are in ns.
type Latencies struct {
	Period                   float64 // interval between probes, seconds
	Around, OneWay, Inserted float64
	// PublishedAround, PublishedOneWay and PublishedInserted are the latencies in the thesis.
	PublishedAround, PublishedOneWay, PublishedInserted float64
	Unsent                                              uint64
}

const (
	// interval is the period of other traffic in cycles. It leaves one cycle of each period free (Rafii 2021, A.1).
	interval = 25
	// udp is the size in bytes of a 64-byte word with its headers: two 64-byte words on the wire (4.3.1).
	udp = 128
	// capacity is the capacity of the thesis' network in words per cycle. It is derived from Table A.1, which contains
	// the minimum probe period T for traffic in I-1 of I cycles. In 23 of its 24 rows, 1 - 1/I + 1/(T+1) is at most
	// capacity for T, and above it for T-1.
	capacity = 0.9614914
	// BaseAround is the published round-trip time of a packet without Pharos, ns (4.3.2).
	BaseAround = 2140
	// loaded is the one-way latency of the network in ns, chosen to match BaseAround.
	loaded = 1029.5
)

// Table41 sends probes from FPGA 1 to FPGA 2 and back, in addition to traffic at the network's capacity. For each
// period in the table up to longest, in seconds, it measures the latency of probes. around is the round-trip time of
// other traffic without probes and pPTP, in ns.
func (b *Bench) Table41(ctx context.Context, longest float64) (rows []Latencies, around float64, err error) {
	s := usual(2)
	s.ppm[1] = Drifts()[0]    // all phase differences of the clocks occur several times per run
	s.start = []float64{0, 3} // nearly together, so that no traffic waits for the start of the second FPGA
	s.up, s.down = []float64{loaded / 2, loaded / 2}, []float64{loaded / 2, loaded / 2}
	s.bits, s.small, s.large = capacity*8*udp*hertz, udp, udp
	s.interval, s.period, s.skip, s.direct = interval, 1e5, false, true
	s.until, s.warm = 10e6, 2e6
	base := s
	c, err := b.simulate(ctx, "sending traffic without probes", &base)
	if err != nil {
		return nil, 0, err
	}
	// Subtract the cycle of the sink that forwards packets.
	around = c.Around.Mean - Cycle
	for _, x := range []Latencies{{Period: 6.7e-6, PublishedAround: 2162, PublishedOneWay: 1077, PublishedInserted: 22},
		{Period: 1e-5, PublishedAround: 2147, PublishedOneWay: 1069, PublishedInserted: 7},
		{Period: 1e-4, PublishedAround: 2146, PublishedOneWay: 1070, PublishedInserted: 6},
		{Period: 1e-3, PublishedAround: 2146, PublishedOneWay: 1070, PublishedInserted: 6},
		{Period: 1e-2, PublishedAround: 2146, PublishedOneWay: 1070, PublishedInserted: 6}} {
		if x.Period > longest {
			break
		}
		probed := s
		probed.probe, probed.syncs = uint64(x.Period*hertz+.5), 1
		probed.until = max(s.until, s.warm+12e9*x.Period)
		c, err := b.simulate(ctx, fmt.Sprintf("sending probes every %g s", x.Period), &probed)
		if err != nil {
			return nil, 0, err
		}
		x.Around, x.OneWay = Cycle*c.FPGAs[0].Latency.Mean, Cycle*c.FPGAs[1].Latency.Mean
		x.Inserted, x.Unsent = x.Around-around, c.FPGAs[0].Unsent
		rows = append(rows, x)
	}
	return rows, around, nil
}
