package maxplus

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// tandem returns stations in series, each with its own server, with buffers of one size.
func tandem(size int, services ...Service) *Network {
	n := &Network{}
	for i, s := range services {
		n.Stations = append(n.Stations, Station{Name: fmt.Sprintf("s%d", i), Server: -1, Service: s})
		if i > 0 {
			n.Channels = append(n.Channels, Channel{From: i - 1, To: i, Sends: Emission{PerFiring: 1}})
			n.Buffers = append(n.Buffers, Buffer{Channels: []int{i - 1}, Size: size})
		}
	}
	return n
}

// cpuTime returns the processor time of this process, which does not depend on the load of the machine.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func BenchmarkRun(b *testing.B) {
	for _, stations := range []int{3, 10, 40} {
		for _, d := range []struct {
			name    string
			service Service
		}{{"constant", Constant(1)}, {"exponential", Exponential(1)}, {"gamma", Gamma{1, .3}}} {
			for _, shared := range []bool{false, true} {
				list := make([]Service, stations)
				for i := range list {
					list[i] = d.service
				}
				n := tandem(16, list...)
				name := fmt.Sprintf("stations=%d/%s", stations, d.name)
				if shared {
					name += "/shared"
					n.Servers = make([]Server, 4)
					for i := range n.Stations {
						n.Stations[i].Server = i * len(n.Servers) / stations
						n.Stations[i].Burst = 8
					}
					if stations < 10 {
						continue
					}
				}
				b.Run(name, func(b *testing.B) {
					s, err := New(n)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					events, start := int64(0), cpuTime(b)
					for b.Loop() {
						r, err := s.Run(context.Background(), Options{Events: 1_000_000, Seed: 1})
						if err != nil {
							b.Fatal(err)
						}
						events += r.Events
					}
					b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
					b.ReportMetric(float64(events)/(cpuTime(b)-start).Seconds()/1e6, "Mevents/cpu-s")
				})
			}
		}
	}
}
