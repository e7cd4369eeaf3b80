package run

import "xopt/deploy/abi"

// LinkPackets is what a link of a run in virtual time has carried for an edge: packets are transfers that cost
// something, or wait until they are full. Latencies are in seconds, from when the first element of a packet came to
// the link until the packet arrived at the link's end.
type LinkPackets struct {
	Edge                       int
	Link                       string
	Packets, Bytes             uint64
	Smallest, Largest          uint64 // bytes
	Latency, Quickest, Slowest float64
}

// packets reads what links have carried.
func (r *run) packets() (list []LinkPackets) {
	const ps = 1e-12
	for _, x := range r.prog.Packets {
		figure := func(offset uint64) uint64 {
			return r.watch.figure(x.At+offset, "a figure of the packets on "+x.Link, r.prog.Edges[x.Edge].From)
		}
		l := LinkPackets{Edge: x.Edge, Link: x.Link, Packets: figure(abi.PacketsCount),
			Bytes: figure(abi.PacketsSum), Smallest: figure(abi.PacketsSmallest),
			Largest: figure(abi.PacketsLargest), Quickest: ps * float64(figure(abi.PacketsQuickest)),
			Slowest: ps * float64(figure(abi.PacketsSlowest))}
		if l.Packets > 0 {
			l.Latency = ps * float64(figure(abi.PacketsLatency)) / float64(l.Packets)
		}
		list = append(list, l)
	}
	return list
}
