package pharos

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Constants of the experiments (Rafii 2021, 3.1 and 4.1).
const (
	hertz = 100e6 // clock rate of an FPGA
	// Cycle is the duration of a cycle in ns.
	Cycle = 1e9 / hertz
	// ethernet is the minimum size of a pPTP packet on the wire in bytes: 64 including headers, plus 20 for preamble
	// and gap.
	ethernet = 84
	frame    = 1538  // a packet of other traffic, 1500 bytes plus overhead
	line     = 100e9 // bit/s
)

func rms(n, a, m, b float64) float64 { return math.Sqrt((n*a*a + m*b*b) / (n + m)) }

// FPGA contains the results for one FPGA. Times are in cycles.
type FPGA struct {
	Edges, Syncs uint64
	Backwards    uint64 // backward steps of the synchronized time while it was marked as valid
	Timeouts     uint64 // requests without a response
	Slow         uint64 // responses that were too late
	Ignored      uint64 // received words that were not a response
	Unsent       uint64 // probes dropped because the send buffer was full
	Offsets      []float64
	Offset       Spread // corrections after the first correction
	Trip         Spread // time from request to response
	Settled      Spread // true clock error after a correction
	Drifted      Spread // true clock error just before the next correction
	Latency      Spread // latency of the received probes
}

// clocks is the output of a time experiment.
type clocks struct {
	Seconds float64
	Around  Spread // round-trip time of other traffic, ns
	FPGAs   []FPGA
}

// setting contains the parameters of a time experiment. Lists have one value per FPGA. The first FPGA is the master.
type setting struct {
	ppm, start, up, down, load, upLoad []float64 // start and latencies in ns, loads as fractions of the bandwidth
	jitter, bits                       float64   // ns, bit/s
	small, large                       float64   // bytes on the wire: packets of Pharos, and packets of other traffic
	period, syncs                      uint64    // interval in cycles, and number of synchronizations after the first
	maxTrip                            uint64    // cycles; 0 for no limit
	skip                               bool      // skip idle times
	direct                             bool      // no queue before the master, for a single slave
	probe, interval                    uint64    // cycles
	until, warm                        float64   // ns
	seed                               uint64
}

// usual returns the setting for n FPGAs without other traffic, whose clocks start at different times.
func usual(n int) setting {
	latency := []float64{oneWay / 2}
	s := setting{ppm: make([]float64, n), up: slices.Repeat(latency, n), down: slices.Repeat(latency, n),
		load: make([]float64, n), upLoad: make([]float64, n), bits: line, small: ethernet, large: ethernet, skip: true,
		seed: 1}
	for i := range n { // irregular times below 1 ms
		s.start = append(s.start, math.Mod(float64(i)*123456.789, 1e6))
	}
	return s
}

// oneWay is the latency of the network between two FPGAs in ns. Together with two clock stages and the queues, it
// results in the latency in the thesis.
const oneWay = 1020

// simulate runs a time experiment.
func (b *Bench) simulate(ctx context.Context, what string, s *setting) (*clocks, error) {
	a := arguments{"fpgas": fmt.Sprint(len(s.ppm)), "hertz": number(hertz), "ppm": numbers(s.ppm),
		"start_ns": numbers(s.start), "up_ns": numbers(s.up), "down_ns": numbers(s.down), "load": numbers(s.load),
		"up_load": numbers(s.upLoad), "jitter_ns": number(s.jitter), "bits": number(s.bits),
		"other_bytes": number(frame), "small_bytes": number(s.small), "large_bytes": number(s.large),
		"period": fmt.Sprint(s.period), "syncs": fmt.Sprint(s.syncs), "max_trip": fmt.Sprint(s.maxTrip),
		"skip": flag(s.skip), "direct": flag(s.direct), "probe": fmt.Sprint(s.probe),
		"interval": fmt.Sprint(s.interval), "until_ns": number(s.until), "warm_ns": number(s.warm),
		"seed": fmt.Sprint(s.seed)}
	var c clocks
	if err := run(ctx, b.clock, what, a, &c); err != nil {
		return nil, err
	}
	for i := range c.FPGAs {
		if n := c.FPGAs[i].Backwards; n > 0 {
			return nil, fmt.Errorf("%s: the time stamps of FPGA %d decrease in %d places", what, i+1, n)
		}
	}
	return &c, nil
}

// Offsets is a row of Fig. 4.3: the corrections of slaves' clocks after an interval without synchronization.
type Offsets struct {
	Period    float64   // T_sync, seconds
	Offset    []float64 // maximum absolute correction by each slave, cycles
	Drift     []float64 // drift of each slave's clock in the interval, cycles
	Published float64   // largest value in the thesis, cycles; -1 if not published
}

// Drifts returns the drifts of the slaves' clocks in ppm for Fig. 4.3. The largest drift is published, and the others
// are assumed.
func Drifts() []float64 { return []float64{4.51, -3.2, 2.1, -1.3, 0.4} }

// Fig43 repeats Fig. 4.3: it synchronizes five slaves with a master at intervals from 100 µs to 10 s. The simulation
// skips idle times.
func (b *Bench) Fig43(ctx context.Context) ([]Offsets, error) {
	var rows []Offsets
	for _, x := range []struct {
		period    float64
		published float64
	}{{1e-4, 0}, {1e-3, 0}, {1e-2, 4}, {1e-1, -1}, {1, 451}, {10, -1}} {
		s := usual(1 + len(Drifts()))
		copy(s.ppm[1:], Drifts())
		s.period, s.syncs = uint64(math.Round(x.period*hertz)), 10
		c, err := b.simulate(ctx, fmt.Sprintf("synchronizing every %g s", x.period), &s)
		if err != nil {
			return nil, err
		}
		row := Offsets{Period: x.period, Published: x.published}
		for i, f := range c.FPGAs[1:] {
			row.Offset = append(row.Offset, max(math.Abs(f.Offset.Min), math.Abs(f.Offset.Max)))
			row.Drift = append(row.Drift, math.Abs(s.ppm[i+1])*1e-6*float64(s.period))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Errors contains the errors in ns of a clock that pPTP synchronizes. Only a simulation can observe them.
type Errors struct {
	Case     string
	Slaves   int
	Trip     Spread  // time from request to response
	Offset   Spread  // corrections by slaves, the only error that hardware can observe
	Settled  Spread  // true error after a correction
	Drifted  Spread  // true error just before the next correction
	Expected float64 // expected mean of Settled: half of the difference in latency
	Slow     uint64  // responses ignored because they were too late
}

// situation is a test case for pPTP: a modification of the usual setting.
type situation struct {
	name     string
	slaves   int
	set      func(s *setting)
	expected float64 // ns
}

// queueing is the error in ns due to the queue before the master: half of the additional latency of requests, which is
// two cycles.
const queueing = Cycle

// situations returns the test cases for pPTP.
func situations() []situation {
	trip := func(s *setting) float64 { return (s.up[1] + s.down[0] + s.up[0] + s.down[1]) / Cycle }
	return []situation{
		{"no other traffic", 1, func(*setting) {}, queueing},
		{"slave clock 40 ppm faster than the master clock", 1, func(s *setting) { s.ppm[1] = 40 }, queueing},
		{"slave clock 40 ppm faster, synchronized every 10 ms", 1, func(s *setting) {
			s.ppm[1], s.period = 40, 1e6
		}, queueing},
		{"path to the slave 100 ns longer than from the slave", 1, func(s *setting) {
			s.down[1] += 100
		}, queueing - 50},
		{"path to the master 1 us longer than from the master", 1, func(s *setting) {
			s.down[0] += 1000
		}, queueing + 500},
		{"random delay of 0 to 200 ns on each path", 1, func(s *setting) { s.jitter = 100 }, queueing},
		{"simultaneous requests of five slaves", 5, func(s *setting) {
			s.start, s.ppm = make([]float64, 6), make([]float64, 6)
		}, math.NaN()},
		{"other traffic: 50 % of the bandwidth to the slave", 1, func(s *setting) { s.load[1] = .5 }, math.NaN()},
		{"other traffic: 90 % of the bandwidth to the slave", 1, func(s *setting) { s.load[1] = .9 }, math.NaN()},
		{"other traffic: 90 % to the slave, ignoring round trips over the minimum + 3 cycles", 1, func(s *setting) {
			s.load[1], s.maxTrip = .9, uint64(trip(s))+minTrip+3
		}, math.NaN()},
		{"other traffic: 90 % of the bandwidth in both directions", 1, func(s *setting) {
			s.load[0], s.load[1] = .9, .9
		}, math.NaN()},
	}
}

// minTrip is the minimum round-trip time in cycles, in addition to the latency of the network: on links and in clock
// stages.
const minTrip = 8

// TrueErrors compares clocks that pPTP synchronizes with the true time, in situations that the thesis does not cover.
// syncs is the number of synchronizations.
func (b *Bench) TrueErrors(ctx context.Context, syncs uint64) ([]Errors, error) {
	var rows []Errors
	for _, x := range situations() {
		s := usual(1 + x.slaves)
		copy(s.ppm[1:], Drifts())
		s.period, s.syncs = 1e5, syncs
		x.set(&s)
		c, err := b.simulate(ctx, "synchronizing ("+x.name+")", &s)
		if err != nil {
			return nil, err
		}
		e := Errors{Case: x.name, Slaves: x.slaves, Expected: x.expected}
		for _, f := range c.FPGAs[1:] {
			e.Trip, e.Offset, e.Slow = e.Trip.with(f.Trip), e.Offset.with(f.Offset), e.Slow+f.Slow
			e.Settled, e.Drifted = e.Settled.with(f.Settled), e.Drifted.with(f.Drifted)
		}
		for _, p := range []*Spread{&e.Trip, &e.Offset, &e.Settled, &e.Drifted} {
			*p = Spread{p.N, Cycle * p.Min, Cycle * p.Max, Cycle * p.Mean, Cycle * p.RMS}
		}
		rows = append(rows, e)
	}
	return slices.Clip(rows), nil
}
