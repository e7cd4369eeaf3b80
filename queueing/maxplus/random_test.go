package maxplus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomService draws a distribution. Without ties it has no atoms, because the order of ties would depend on rounding.
func randomService(r *rand.Rand, ties bool) Service {
	mean := float64(1+r.IntN(8)) / 4
	kind := r.IntN(8)
	if !ties {
		kind = 1 + kind%3
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return Exponential(mean)
	case 2:
		return Gamma{mean, []float64{.2, 3}[r.IntN(2)]}
	case 3:
		return Lognormal{mean, .5}
	case 4:
		return Trace{mean, mean / 2, 3 * mean}
	case 5:
		h, _ := NewHistogram([]float64{0, 0, mean, 2 * mean}, []float64{1, 3, 2})
		return Scaled{h, 2, .25}
	}
	return Constant(mean)
}

// randomNetwork draws ordered stations, channels that lead forward, and a few that lead back and have initial elements.
// If shared is true, some stations share servers.
func randomNetwork(r *rand.Rand, discipline Discipline, shared bool) *Network {
	n := &Network{}
	stations := 2 + r.IntN(7)
	if shared {
		n.Servers = make([]Server, 1+r.IntN(2))
		for v := range n.Servers {
			n.Servers[v].Discipline = discipline
		}
	}
	for i := range stations {
		st := Station{Name: fmt.Sprint(i), Server: -1, Service: randomService(r, discipline == Turns), Burst: r.IntN(4)}
		if i == 0 && st.Service == nil {
			st.Service = Exponential(1)
		}
		if shared && r.IntN(3) > 0 {
			st.Server = r.IntN(len(n.Servers))
		}
		n.Stations = append(n.Stations, st)
	}
	for i := 1; i < stations; i++ {
		for range 1 + r.IntN(2) {
			n.connect(r, r.IntN(i), i, 0)
		}
		if r.IntN(5) == 0 {
			n.connect(r, i, r.IntN(i), 1+r.IntN(5))
		}
	}
	n.groups(r)
	return n
}

// connect adds a channel, which may cross a bulk station and may have a buffer.
func (n *Network) connect(r *rand.Rand, from, to, initial int) {
	ch := Channel{From: from, To: to, Consumes: r.IntN(3), Initial: initial, Sends: Emission{Port: r.IntN(3)}}
	for c := range n.Channels {
		if o := &n.Channels[c]; o.From == from && o.Sends.Port == ch.Sends.Port {
			ch.Sends = o.Sends
		}
	}
	if ch.Sends.PerFiring == 0 {
		ch.Sends.Rule = Rule(r.IntN(3))
		ch.Sends.PerFiring = float64(1 + r.IntN(2))
		if ch.Sends.Rule != Exact {
			ch.Sends.PerFiring = float64(1+r.IntN(8)) / 5
		}
	}
	n.Stations[from].Exclusive = n.Stations[from].Exclusive || r.IntN(4) == 0
	if r.IntN(4) == 0 {
		ch.Latency = float64(r.IntN(9)) / 4
	}
	list := []int{len(n.Channels)}
	n.Channels = append(n.Channels, ch)
	if r.IntN(4) == 0 {
		link := len(n.Stations)
		n.Stations = append(n.Stations, Station{Name: "link", Server: -1, Service: Constant(.25), Bulk: 1 + r.IntN(4),
			PerElement: .125, Flush: []float64{0, .5, 3}[r.IntN(3)]})
		n.Channels[list[0]].To, n.Channels[list[0]].Consumes = link, 0
		list = append(list, len(n.Channels))
		n.Channels = append(n.Channels, Channel{From: link, To: to, Consumes: ch.Consumes,
			Sends: Emission{PerFiring: 1}})
	}
	if r.IntN(4) > 0 {
		n.Buffers = append(n.Buffers, Buffer{Channels: list, Size: initial + 2 + r.IntN(9),
			Return: []float64{0, 0, .25, 1.5}[r.IntN(4)]})
	}
}

// late adds jitter to some channels and to the return of some buffers.
func (n *Network) late(r *rand.Rand) {
	for c := range n.Channels {
		if r.IntN(3) == 0 {
			n.Channels[c].Jitter = float64(1+r.IntN(12)) / 4
		}
	}
	for b := range n.Buffers {
		if r.IntN(3) == 0 {
			n.Buffers[b].Jitter = float64(1+r.IntN(12)) / 4
		}
	}
}

// groups gives some stations several groups of input channels. Every other one has its first channel in each group.
func (n *Network) groups(r *rand.Rand) {
	for i := range n.Stations {
		if r.IntN(4) > 0 || n.Stations[i].Bulk > 0 {
			continue
		}
		g, first := 0, -1
		for c := range n.Channels {
			if n.Channels[c].To != i {
				continue
			}
			if n.Channels[c].Group = g; g == 0 {
				first = c
			} else if i%2 == 0 {
				n.Channels[first].Also = append(n.Channels[first].Also, g)
			}
			g++
		}
		for range g {
			n.Stations[i].Scale = append(n.Stations[i].Scale, float64(1+r.IntN(3)))
		}
	}
}

// byStation returns the departure times of each station.
func byStation(stations int, list []departure) [][]float64 {
	times := make([][]float64, stations)
	for _, d := range list {
		times[d.station] = append(times[d.station], d.time)
	}
	return times
}

// TestTwin compares the departure times with those of the slow simulator. They are equal to the last bit, or with
// processor sharing up to rounding.
func TestTwin(t *testing.T) {
	const events = 400
	stopped, networks := 0, 1500
	if testing.Short() {
		networks = 500
	}
	for seed := range uint64(networks) {
		r := rand.New(rand.NewPCG(seed, 1))
		discipline, shared := Discipline(seed%2), seed%3 > 0
		n := randomNetwork(r, discipline, shared)
		if seed%4 == 1 {
			n.late(r)
		}
		tolerance := 0.0
		if shared && discipline == Sharing {
			tolerance = 1e-9
		}
		if likeTwin(t, n, Options{Events: events, Seed: seed}, tolerance) {
			stopped++
		}
	}
	if stopped < networks/15 || stopped > networks*5/6 {
		t.Errorf("%d of the networks stop", stopped)
	}
}

// likeTwin compares a network with the slow simulator, and reports whether it stops.
func likeTwin(t *testing.T, n *Network, o Options, tolerance float64) (stops bool) {
	t.Helper()
	var got []departure
	o.Departure = func(i int, time float64) { got = append(got, departure{i, time}) }
	res := run(t, n, o)
	want := imitate(n, o.Seed, len(got))
	if res.Deadlock != nil {
		if more := imitate(n, o.Seed, len(got)+1); len(more) > len(got) {
			t.Fatalf("seed %d: stops after %d firings, where the twin goes on", o.Seed, len(got))
		}
	}
	a, b := byStation(len(n.Stations), got), byStation(len(n.Stations), want)
	last := res.Time // others may have events at the same time
	if res.Deadlock != nil {
		last = math.Inf(1)
	}
	for i := range a {
		before := func(x float64) bool { return x >= last*(1-2*tolerance) }
		a[i], b[i] = slices.DeleteFunc(a[i], before), slices.DeleteFunc(b[i], before)
		same := slices.EqualFunc(a[i], b[i], func(x, y float64) bool { return math.Abs(x-y) <= tolerance*x })
		if !same {
			t.Fatalf("seed %d: station %d departs at\n%v, want\n%v\n%+v", o.Seed, i, a[i], b[i], n)
		}
	}
	return res.Deadlock != nil
}
