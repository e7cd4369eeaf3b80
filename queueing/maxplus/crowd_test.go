package maxplus

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// crowd draws trees of stations on few servers. No station waits for another branch, so they never stop.
func crowd(r *rand.Rand, stations int) *Network {
	n := &Network{Servers: make([]Server, 1+r.IntN(2))}
	for i := range stations {
		st := Station{Name: fmt.Sprint(i), Server: r.IntN(len(n.Servers)), Service: randomService(r, false),
			Burst: r.IntN(4)}
		if r.IntN(10) == 0 {
			st.Server = -1
		}
		n.Stations = append(n.Stations, st)
		if i > 0 && r.IntN(4) > 0 {
			n.Buffers = append(n.Buffers, Buffer{Channels: []int{len(n.Channels)}, Size: 4 + r.IntN(9)})
			n.Channels = append(n.Channels, Channel{From: r.IntN(i), To: i, Consumes: r.IntN(3),
				Sends: Emission{Port: i, Rule: Rule(1 + r.IntN(2)), PerFiring: float64(1+r.IntN(8)) / 5}})
		}
	}
	return n
}

// members returns the stations of a server.
func (n *Network) members(v int) []int {
	var list []int
	for i := range n.Stations {
		if n.Stations[i].Server == v {
			list = append(list, i)
		}
	}
	return list
}

// TestTwinOfCrowds checks that servers with more stations than bits in a word of candidates fire like those of the slow
// simulator.
func TestTwinOfCrowds(t *testing.T) {
	crowded := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := crowd(r, 80+r.IntN(140))
		for v := range n.Servers {
			if c := len(n.members(v)); c > 64 && c <= 200 {
				crowded++
			}
		}
		if likeTwin(t, n, Options{Events: 1200, Seed: seed, Occupancy: seed%4 > 0}, 0) {
			t.Errorf("seed %d: a tree of stations stops", seed)
		}
	}
	if crowded < 15 {
		t.Errorf("%d servers have 65 to 200 stations", crowded)
	}
}
