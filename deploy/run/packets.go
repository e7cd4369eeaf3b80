package run

import (
	"xopt/deploy/abi"
	"xopt/mapper/result"
)

// packets returns the traffic of links.
func (r *run) packets() (list []result.LinkPackets) {
	const ps = 1e-12
	for _, x := range r.prog.Packets {
		figure := func(offset uint64) uint64 {
			return r.watch.figure(x.At+offset, "a figure of the packets on "+x.Link, r.prog.Edges[x.Edge].From)
		}
		l := result.LinkPackets{Index: x.Edge, Link: x.Link, Packets: figure(abi.PacketsCount),
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
