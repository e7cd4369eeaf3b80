package report

import (
	"math"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// placedMapping is a mapping with its utilizations, the input of drawings at every level of detail.
type placedMapping struct {
	verb      string // such as "processes" or "processed"
	kernels   []placedKernel
	resources []placedResource
	links     []placedLink
	edges     []placedEdge
	path      map[string]bool // edges of the longest path
	pathWords string
	devices   map[string]int // number of resources of each device
	limit     []string       // the bottleneck, in words
	rate      string
	where     map[string]int // kernels by name
	unplaced  bool           // the application has no mapping
}

// placedKernel is a kernel of a mapping, with its input rate in B/s (output rate of a source) and its utilization.
type placedKernel struct {
	name, short, on string
	words           string  // shown if there is no mapping
	rate, busy      float64 // busy is NaN if unknown
	limits          bool
	moved           bool // the compared mapping places the kernel elsewhere
}

// placedResource is a resource of a mapping, with its utilization.
type placedResource struct {
	name, platform string
	busy           float64
	limits         bool
}

// placedLink is a link of a mapping, with its data rate in B/s and its utilization.
type placedLink struct {
	name       string
	rate, busy float64
	limits     bool
}

// placedEdge is an edge of a mapping, with its data rate in B/s and the links that it crosses.
type placedEdge struct {
	name, from, to string
	words          string // shown if there is no mapping
	rate           float64
	initial        int
	via            []string
	limits         bool
}

// deviceOf returns the device of a resource, such as proc for proc[3].
func deviceOf(resource string) string {
	if at := strings.IndexByte(resource, '['); at > 0 && strings.HasSuffix(resource, "]") {
		return resource[:at]
	}
	return resource
}

// newPlacedMapping returns a mapping without the parts that depend on utilizations.
func newPlacedMapping(r *result.Result, verb string, place []result.Placement) *placedMapping {
	m := &placedMapping{verb: verb, path: make(map[string]bool), devices: make(map[string]int),
		where: make(map[string]int)}
	for _, x := range r.Architecture {
		m.devices[deviceOf(x.Name)]++
	}
	for _, p := range place {
		m.where[p.Kernel] = len(m.kernels)
		m.kernels = append(m.kernels, placedKernel{name: p.Kernel, short: shortName(r, p.Kernel), on: p.Resource,
			busy: math.NaN()})
	}
	return m
}

func platformOf(r *result.Result, resource string) string {
	for _, x := range r.Architecture {
		if x.Name == resource {
			return x.Platform
		}
	}
	return ""
}

// placedCandidate returns the mapping of a candidate with its predicted utilizations.
func placedCandidate(r *result.Result, c *result.Candidate) *placedMapping {
	m := newPlacedMapping(r, "processes", c.Place)
	limiting := limitsOf(c)
	m.rate = units.Rate(float64(c.Throughput))
	if len(c.Bottlenecks) > 0 {
		m.limit = []string{bottleneckNames(c)}
	}
	for i := range c.Stations {
		s := &c.Stations[i]
		if at, ok := m.where[s.Name]; ok && !s.IsLink {
			k := &m.kernels[at]
			k.rate, k.busy = float64(s.ArrivalRate), float64(s.Share)
			k.limits = limiting.names[k.name] && limiting.onResource(k.on)
		}
	}
	for _, x := range c.Resources {
		m.resources = append(m.resources, placedResource{x.Name, platformOf(r, x.Name), float64(x.Utilization),
			limiting.onResource(x.Name)})
	}
	flow := make(map[string]float64)
	for i := range c.Queues {
		flow[c.Queues[i].Edge] = float64(c.Queues[i].Flow)
	}
	excess, via := make(map[string]float64), make(map[string][]string)
	for _, x := range c.Routes {
		via[x.Edge] = append(via[x.Edge], x.Links...)
		for _, l := range x.Links {
			excess[l] += flow[x.Edge]
		}
	}
	for _, l := range c.Links {
		if l.Members == 0 || linktype(r, l.Name) == "memory" && !limiting.names[l.Name] && l.Utilization < plentyUsed {
			continue // a shared memory with little load would only be clutter
		}
		m.links = append(m.links, placedLink{l.Name, excess[l.Name], float64(l.Utilization), limiting.names[l.Name]})
	}
	for _, e := range candidateEdges(r, c) {
		m.edges = append(m.edges, placedEdge{name: e.Name, from: e.From, to: e.To, rate: flow[e.Name],
			initial: e.Initial, via: via[e.Name], limits: limiting.edges[e.Name]})
	}
	if c.Latency != nil {
		m.along(c.Latency.Kernels)
	}
	return m
}

// candidateEdges returns the edges of a candidate. Candidates of a result may have different copies. Therefore it omits
// edges with an end that the candidate does not place. If the candidate has queues, it also omits edges without a
// queue.
func candidateEdges(r *result.Result, c *result.Candidate) []result.Edge {
	if len(c.Place) == len(r.Kernels) {
		return r.Edges
	}
	placed, queued := make(map[string]bool), make(map[string]bool)
	for _, p := range c.Place {
		placed[p.Kernel] = true
	}
	for i := range c.Queues {
		queued[c.Queues[i].Edge] = true
	}
	var list []result.Edge
	for _, e := range r.Edges {
		if placed[e.From] && placed[e.To] && (len(queued) == 0 || queued[e.Name]) {
			list = append(list, e)
		}
	}
	return list
}

// plentyUsed is the utilization above which a drawing includes a memory that all cores share.
const plentyUsed = 0.5

// along marks the edges of a path of kernels.
func (m *placedMapping) along(kernels []string) {
	m.pathWords = pathWords
	for i := 1; i < len(kernels); i++ {
		for _, e := range m.edges {
			if e.from == kernels[i-1] && e.to == kernels[i] {
				m.path[e.name] = true
			}
		}
	}
}

const pathWords = "critical path: the longest latency"

func linktype(r *result.Result, link string) string {
	for i := range r.Links {
		if r.Links[i].Name == link {
			return r.Links[i].Linktype
		}
	}
	return ""
}

// placedRun returns the mapping of a run with its recorded utilizations and bottleneck.
func placedRun(r *result.Result) *placedMapping {
	x := r.Measured
	m := newPlacedMapping(r, "processed", x.Place)
	m.rate = units.Rate(x.Throughput)
	inside := make(map[string][]string)
	for i := range x.Kernels {
		k := &x.Kernels[i]
		if at, ok := m.where[k.Kernel]; ok {
			if m.kernels[at].busy = k.Utilization; k.Kernel == x.FaultOf {
				m.kernels[at].busy = math.NaN()
			}
			inside[k.Process] = append(inside[k.Process], k.Kernel)
		}
	}
	rate, via := make(map[string]float64), make(map[string][]string)
	for _, e := range x.Edges {
		rate[e.Edge], via[e.Edge] = e.Rate, e.Links
	}
	in, out := make(map[string]float64), make(map[string]float64)
	for _, e := range r.Edges {
		in[e.To] += rate[e.Name]
		out[e.From] += rate[e.Name]
		m.edges = append(m.edges, placedEdge{name: e.Name, from: e.From, to: e.To, rate: rate[e.Name],
			initial: e.Initial, via: via[e.Name]})
	}
	for i := range m.kernels {
		k := &m.kernels[i]
		if k.rate = in[k.name]; k.rate == 0 {
			k.rate = out[k.name]
		}
	}
	m.addRun(r)
	m.longest(x.Paths)
	return m
}

// addRun adds the resources of a run, and the links that carried data.
func (m *placedMapping) addRun(r *result.Result) {
	x := r.Measured
	of := make(map[string]*result.MeasuredUse, len(x.Used))
	for i := range x.Used {
		of[x.Used[i].Name] = &x.Used[i]
	}
	limits := make(map[string]bool)
	for _, u := range limited(x) {
		limits[u.Name] = true
		m.limit = append(m.limit, u.Name)
	}
	for _, l := range r.Links {
		u := of[l.Name]
		if u == nil {
			continue
		}
		busy := u.Utilization
		if u.Bandwidth == 0 || u.Bandwidth >= noLimit || u.Exceeded > 0 {
			busy = math.NaN() // the maximum is unknown
		}
		if l.Linktype == "memory" && !limits[l.Name] && !(busy >= plentyUsed) {
			continue
		}
		m.links = append(m.links, placedLink{l.Name, u.Rate, busy, limits[l.Name]})
	}
	for _, x := range r.Architecture {
		busy := math.NaN()
		if u := of[x.Name]; u != nil && !faulty(r.Measured, x.Name) {
			busy = u.Utilization
		}
		m.resources = append(m.resources, placedResource{name: x.Name, platform: x.Platform, busy: busy,
			limits: limits[x.Name]})
	}
}

// longestRecorded is the label of the marked path of a run. xopt compares only paths with recorded latencies.
const longestRecorded = "path with the longest recorded latency"

// longest marks the path with the highest mean latency.
func (m *placedMapping) longest(paths []result.PathLatency) {
	var at *result.PathLatency
	for i := range paths {
		if x := &paths[i]; x.Latency != nil && (at == nil || x.Latency.Mean > at.Latency.Mean) {
			at = x
		}
	}
	if at == nil {
		return
	}
	m.pathWords = longestRecorded
	for _, e := range at.Edges {
		m.path[e] = true
	}
}
