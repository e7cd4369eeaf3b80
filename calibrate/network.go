package calibrate

import (
	"context"
	"errors"
	"slices"
	"time"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// Values of [profile.Link.Where] for edges between hosts: with a large buffer, and with a buffer of one element, where
// each element waits until the reader's host acknowledges the previous element.
const (
	betweenHosts = "between hosts"
	oneAtATime   = "between hosts, one at a time"
)

// networkSizes returns the message sizes for measuring networks, in bytes.
func networkSizes() []int { return []int{64, 1024, 16384, 65536} }

// networkBuffer is the size of the edge's buffer in throughput measurements, in bytes. It exceeds the bandwidth-delay
// product of most networks, so that the buffer does not limit the rate.
const networkBuffer = 4 << 20

// Each size has networkRounds runs of several windows. The first windows do not count, because TCP needs approximately
// a second to adapt to a network.
const (
	networkRounds  = 2
	networkWindow  = 200 * time.Millisecond
	networkWindows = 11
	networkStart   = 5
	networkRound   = 5 * networkWindows * networkWindow // approximate time of a round: all sizes and single elements
)

// hostEnds returns the names of the first two hosts that a link connects, and the first core of each.
func hostEnds(p *xlang.Program, l *xlang.Link) (ends [2]xlang.Resource, hosts []string, ok bool) {
	for _, r := range l.Endpoints {
		name, _ := design.HostOf(p, r)
		if name == "" || !design.IsCore(p, r) || slices.Contains(hosts, name) {
			continue
		}
		ends[len(hosts)] = p.Resources[r]
		if hosts = append(hosts, name); len(hosts) == 2 {
			return ends, hosts, true
		}
	}
	return ends, hosts, false
}

// measureNetwork measures a link between cores of several hosts, using its first two hosts. The figures are the time of
// messages of each size, the processor time on both hosts, and the latency of a message. The latency is half of the
// time per element on an edge with a buffer of one element. Therefore, measureNetwork does not compare clocks of
// different hosts.
func (x *linkPart) measureNetwork(ctx context.Context, w linkWork) (_ *profile.Link, err error) {
	var programs []*program.Program
	defer func() {
		for _, prog := range programs {
			err = errors.Join(err, prog.Remove())
		}
	}()
	add := func(where string, bytes int) error {
		w.report()
		prog, err := x.build(ctx, w, where, bytes)
		if err == nil {
			programs = append(programs, prog)
		}
		return err
	}
	for _, bytes := range networkSizes() {
		if err := add(betweenHosts, bytes); err != nil {
			return nil, err
		}
	}
	if err := add(oneAtATime, networkSizes()[0]); err != nil {
		return nil, err
	}
	rounds := networkRounds
	if w.budget > 0 && w.budget < networkRounds*networkRound {
		rounds = 1
	}
	seconds := make([][]float64, len(programs))     // s/message
	carrying := make([][2][]float64, len(programs)) // processor time of the writer's and the reader's host, s/message
	for range rounds {
		w.report()
		for i, prog := range programs {
			m, err := run.Well(ctx, prog, run.Options{Time: networkWindows * networkWindow, Frame: networkWindow})
			if err != nil {
				return nil, err
			}
			for j := networkStart; j < len(m.Frames)-1; j++ {
				if f := &m.Frames[j]; f.Edges[0].Consumed > 0 {
					seconds[i] = append(seconds[i], (f.End-f.Start)/float64(f.Edges[0].Consumed))
				}
			}
			if messages := float64(m.Edges[0].Elements); messages > 0 {
				for side, cpu := range carriersOf(prog.Description(), m) {
					carrying[i][side] = append(carrying[i][side], cpu/messages)
				}
			}
		}
	}
	link := x.unmeasured()
	for i, bytes := range networkSizes() {
		counts, agree := plausible(seconds[i], 0)
		if !agree {
			return nil, disagree(seconds[i], counts, bytes)
		}
		seconds[i] = without(seconds[i], counts)
		if len(seconds[i]) == 0 {
			return nil, faults.MachineTooBusy.Errorf("no message of %d bytes arrived in %d runs: the machines are too "+
				"busy (calibrate again when both are idle)", bytes, rounds)
		}
		f := figure(seconds[i], nil)
		low, high := f.Spread()
		link.Samples = append(link.Samples, profile.LinkSample{Bytes: float64(bytes), Seconds: f.Value,
			CI95: [2]float64{low, high}})
	}
	fitLink(link, len(seconds[0]))
	link.SendElement, link.Send = carryingFit(carrying, 0)
	link.ReceiveElement, link.Receive = carryingFit(carrying, 1)
	if alone := seconds[len(seconds)-1]; len(alone) > 0 {
		for i := range alone {
			alone[i] /= 2 // half of the round trip
		}
		link.Latency = new(figure(alone, nil))
	}
	return link, nil
}

// carryingFit fits the processor time of one host as a cost per element plus a cost per byte, over the message sizes,
// in each round.
func carryingFit(seconds [][2][]float64, side int) (element, byByte *profile.Figure) {
	var elements, bytes []float64
	for round := range networkRounds {
		var size, t []float64
		for i, b := range networkSizes() {
			if of := seconds[i][side]; round < len(of) && of[round] > 0 {
				size, t = append(size, float64(b)), append(t, of[round])
			}
		}
		if len(t) > 1 {
			cost, perByte := fitLine(size, t)
			elements, bytes = append(elements, cost), append(bytes, perByte)
		}
	}
	if len(bytes) == 0 {
		return nil, nil
	}
	return new(figure(elements, nil)), new(figure(bytes, nil))
}

// carriersOf returns the processor times in s of the processes that transfer the data on the writer's and on the
// reader's host.
func carriersOf(d *program.Description, m *run.Measurement) [2]float64 {
	w := &d.Edges[0].Way
	return [2]float64{m.Processes[w.OutCarrier].CPU, m.Processes[w.InCarrier].CPU}
}
