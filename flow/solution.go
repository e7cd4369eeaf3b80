package flow

// Solution is the steady state of a mapping with maximum throughput.
type Solution struct {
	Throughput float64 // Γ, bytes/s out of the pseudo-source s
	Sources    []SourceFlow
	EdgeFlow   []float64       // f of each edge of the application, bytes/s
	Stations   []StationState  // parallel to Network.Stations
	Resources  []ResourceState // parallel to Architecture.Resources
	Links      []ResourceState // parallel to Architecture.Links

	// Bottlenecks are the limits of the throughput in order: first the current limit, then each limit that binds after
	// the earlier limits have been removed.
	Bottlenecks []Bottleneck
	// Prices contains, for each station, the gain in throughput from faster service.
	Prices []Price
	// Warnings describe doubts about the results. They do not change the results.
	Warnings []error
}

// SourceFlow is the rate of one source.
type SourceFlow struct {
	Kernel int
	Rate   float64 // bytes/s
}

// StationState is the state of a station of the network at the solution.
type StationState struct {
	ArrivalRate float64 // λ, bytes/s (Beard 2013, Eq. 7)
	ServiceRate float64 // μ, alone, bytes/s
	// SharedRate is μ_s, the service rate in bytes/s available to the station. Under equal sharing it is μ/n. Under
	// conserving sharing it is the part that other members do not use.
	SharedRate float64
	// Utilization is ρ = λ/μ_s, the utilization that determines the station's queue.
	Utilization float64
	// Share is the fraction of time for which the station occupies its resource or link: λ/μ plus the costs of
	// switching, co-location, crossing or transfers. It is the sum of its Parts except Unused.
	Share float64
	// Parts divides Share by cause. The parts of all stations of a time-shared resource or link add up to its
	// utilization.
	Parts [NumParts]float64
}

// ResourceState is the state of a resource or link at the solution.
type ResourceState struct {
	Members int // number of kernels on the resource, or of edges that cross the link
	// Utilization is the fraction of time in which the resource or link is busy, if it is shared in time. Otherwise it
	// is the utilization of the busiest member.
	Utilization float64
	Area        Area // in use, for resources
}

// Bottleneck is one step in the sequence of limits of the throughput.
type Bottleneck struct {
	// Limits contains the limits that bind at this step, usually one, as indices into Network.Limits.
	Limits []int
	// Throughput is Γ in bytes/s after the limits of all earlier steps have been removed.
	Throughput float64
}

// Price is the value of faster service at a station.
type Price struct {
	// Shadow is dΓ/dμ, in bytes/s of throughput per byte/s of service rate; 0 if the station is not on a binding limit.
	// If several limits bind at the same time, Shadow belongs to one of several optimal dual solutions. It is then an
	// upper bound on the gain from improving the station alone.
	Shadow float64
	// Elasticity is (dΓ/Γ)/(dμ/μ): the relative gain in throughput per relative gain in service rate.
	Elasticity float64
}

// Limiting names the first bottleneck of this solution on its network.
func (s *Solution) Limiting(n *Network) []string {
	if len(s.Bottlenecks) == 0 {
		return nil
	}
	var names []string
	for _, l := range s.Bottlenecks[0].Limits {
		names = append(names, n.Limits[l].Name)
	}
	return names
}
