// Package gstreamer reads pipelines of GStreamer: their graphs (GST_DEBUG_DUMP_DOT_DIR) and the log of their tracers
// (GST_TRACERS). It also writes the sizes of their queues.
package gstreamer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/exchange/dot"
	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
	"xopt/internal/units"
)

// Core is the name of the resource for all times, because GStreamer does not distinguish processors.
const Core = "core"

// These are the default limits of a queue element, from the documentation of queue.
const (
	defaultBuffers = 200
	defaultBytes   = 10 << 20
	defaultTime    = 1_000_000_000 // ns
)

// IsPipeline reports whether a graph is a pipeline. GStreamer adds a legend to each pipeline.
func IsPipeline(d *dot.Graph) bool {
	return slices.ContainsFunc(d.Nodes, func(n dot.Node) bool {
		return n.ID == "legend" && strings.Contains(n.Attrs["label"], "Element-States")
	})
}

// Pipeline is a graph whose kernels are the elements of a pipeline, except queues. A queue is the buffer of an edge.
type Pipeline struct {
	*timed.Graph
	queues []queue // by edge
}

// queue is the first queue of an edge. The name is "" if the edge connects two elements directly.
type queue struct {
	name                 string
	buffers, bytes, time int64 // limits, with time in ns; 0 for no limit
}

// element is an element of the pipeline: a subgraph whose label contains its class, name, state and changed properties.
type element struct {
	class, name string
	properties  map[string]string
	bin         bool
	kernel      int // -1 for queues and bins
}

func (e *element) isQueue() bool {
	return e.class == "GstQueue" || e.class == "GstQueue2" || e.class == "GstMultiQueue"
}

// elements returns the elements by their subgraphs; nil for other subgraphs.
func elements(d *dot.Graph) []*element {
	list := make([]*element, len(d.Clusters))
	for c := 1; c < len(d.Clusters); c++ {
		label := strings.Split(d.Clusters[c].Attrs["label"], `\n`)
		if len(label) < 3 || !strings.HasPrefix(label[2], "[") {
			continue
		}
		list[c] = &element{class: label[0], name: label[1], properties: make(map[string]string), kernel: -1}
		for _, p := range label[3:] {
			name, value, _ := strings.Cut(p, "=")
			list[c].properties[name] = value
		}
		if p := owner(d, list, d.Clusters[c].Parent); p != nil {
			p.bin = true
		}
	}
	return list
}

// owner returns the innermost element around a subgraph.
func owner(d *dot.Graph, list []*element, c int) *element {
	for ; c > 0; c = d.Clusters[c].Parent {
		if list[c] != nil {
			return list[c]
		}
	}
	return nil
}

// reader follows the links of a pipeline.
type reader struct {
	d       *dot.Graph
	list    []*element
	next    [][]int // links from each pad
	threads []int   // union-find over the kernels without a queue between them
}

// FromDOT converts the graph of a pipeline. Elements between the same queues run in one thread, and therefore have the
// same host.
func FromDOT(d *dot.Graph) (*Pipeline, error) {
	x := &reader{d: d, list: elements(d), next: make([][]int, len(d.Nodes))}
	p := &Pipeline{Graph: &timed.Graph{Name: "pipeline", File: d.File, Place: d.Place}}
	for _, e := range x.list {
		if e == nil || e.bin || e.isQueue() {
			continue
		}
		if slices.ContainsFunc(p.Kernels, func(k timed.Kernel) bool { return k.Name == e.name }) {
			return nil, faults.WrongGraphFile.Errorf("%s: two elements are named %s (rename one with name=…)",
				d.Place(e.name), e.name)
		}
		e.kernel = len(p.Kernels)
		x.threads = append(x.threads, e.kernel)
		p.Kernels = append(p.Kernels, timed.Kernel{Name: e.name, Times: make(map[string]timed.Time)})
	}
	for _, l := range d.Edges {
		if l.Attrs["style"] != "invis" {
			x.next[l.From] = append(x.next[l.From], l.To)
		}
	}
	for pad := range d.Nodes {
		if e := x.owner(pad); e != nil && e.kernel >= 0 && len(x.next[pad]) > 0 {
			if err := x.follow(p, e.kernel, pad); err != nil {
				return nil, err
			}
		}
	}
	x.hosts(p)
	p.Resource(Core)
	return p, nil
}

func (x *reader) owner(pad int) *element { return owner(x.d, x.list, x.d.Nodes[pad].Cluster) }

// name returns the name of a pad, the first line of its label.
func (x *reader) name(pad int) string {
	name, _, _ := strings.Cut(x.d.Nodes[pad].Attrs["label"], `\n`)
	return name
}

// follow adds the edge from an output of a kernel. The edge passes through bins and queues.
func (x *reader) follow(p *Pipeline, kernel, pad int) error {
	var q queue
	at := pad
	for range x.d.Nodes {
		at = x.next[at][0]
		e := x.owner(at)
		switch {
		case e == nil:
			return faults.WrongGraphFile.Errorf("%s: pad %s belongs to no element", x.d.File, x.d.Nodes[at].ID)
		case e.kernel >= 0:
			p.Edges = append(p.Edges, timed.Edge{Name: q.name, From: kernel, To: e.kernel, FromPort: x.name(pad),
				ToPort: x.name(at), Emits: 1, Consumes: 1})
			p.queues = append(p.queues, q)
			if q.name != "" && q.time > 0 {
				p.Notes = append(p.Notes, faults.LeftOut.Notef("xopt omits max-size-time of queue %s (%s): a buffer "+
					"has only the limits max-size-buffers and max-size-bytes", q.name, units.Time(float64(q.time)/1e9)))
			}
			if q.name == "" {
				x.join(kernel, e.kernel)
			}
			return nil
		case e.isQueue():
			if q.name == "" {
				q = queueOf(e)
			}
			at = x.across(e, at)
		}
		if at < 0 || len(x.next[at]) == 0 {
			return nil // not linked
		}
	}
	return faults.WrongGraphFile.Errorf("%s: the links from %s form a cycle (remove one of these links)", x.d.File,
		x.d.Nodes[pad].ID)
}

// across returns the output pad of a queue for an input pad, such as src_1 for sink_1; -1 if there is none.
func (x *reader) across(e *element, pad int) int {
	want := strings.Replace(x.name(pad), "sink", "src", 1)
	return slices.IndexFunc(x.d.Nodes, func(n dot.Node) bool {
		name, _, _ := strings.Cut(n.Attrs["label"], `\n`)
		return name == want && owner(x.d, x.list, n.Cluster) == e
	})
}

// queueOf returns the limits of a queue element.
func queueOf(e *element) queue {
	limit := func(name string, usual int64) int64 {
		if n, err := strconv.ParseInt(e.properties[name], 10, 64); err == nil && n >= 0 {
			return n
		}
		return usual
	}
	return queue{e.name, limit("max-size-buffers", defaultBuffers), limit("max-size-bytes", defaultBytes),
		limit("max-size-time", defaultTime)}
}

// root returns the representative of a kernel's thread.
func (x *reader) root(k int) int {
	for x.threads[k] != k {
		k = x.threads[k]
	}
	return k
}

func (x *reader) join(a, b int) { x.threads[max(x.root(a), x.root(b))] = min(x.root(a), x.root(b)) }

// hosts assigns a core to each thread.
func (x *reader) hosts(p *Pipeline) {
	number := make(map[int]int)
	for k := range p.Kernels {
		root := x.root(k)
		if number[root] == 0 {
			number[root] = len(number) + 1
		}
		p.Kernels[k].Host = fmt.Sprintf("%s[%d]", Core, number[root])
	}
	p.Notes = append(p.Notes, faults.ThreadsAssumed.Notef("the mapping has a core for each of %d streaming threads. "+
		"Elements without a queue between them share a thread: to map them to different cores, insert a queue",
		len(number)))
}
