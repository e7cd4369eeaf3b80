package rtl

import (
	"fmt"
	"slices"
	"strings"

	"xopt/hdl/faults"
	"xopt/internal/release"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// partitionWriter fills the template of a partition.
type partitionWriter struct {
	p    *Partition
	m    *Module
	text partitionText
	used map[string]string // by the name of a net: the edge that uses it
	// ways is the number of edges that leave each output. connected is the number of these edges that are already
	// connected.
	ways, connected map[string]int
}

func (w *partitionWriter) write() (string, error) {
	p := w.p
	w.text = partitionText{Version: release.Version, PartsHigh: len(p.Parts) - 1, WiresHigh: max(len(p.Wires)-1, 0)}
	for i, x := range p.Parts {
		w.part(i, x)
	}
	w.forks()
	for i := range p.Outers {
		o := &p.Outers[i]
		s, err := w.endpoint(o.Part, o.Port, o.Input, o.Width, o.Name)
		if err != nil {
			return "", err
		}
		w.outer(i, *o, s)
	}
	for i := range p.Wires {
		x, name := &p.Wires[i], fmt.Sprintf("wire %d", i)
		from, err := w.endpoint(x.From, x.FromPort, false, x.Width, name)
		if err != nil {
			return "", err
		}
		to, err := w.endpoint(x.To, x.ToPort, true, x.Width, name)
		if err != nil {
			return "", err
		}
		x.fromWidth, x.toWidth = from.Width, to.Width
		if err := w.wire(i, *x, from, to); err != nil {
			return "", err
		}
	}
	for i, x := range p.Parts {
		for _, s := range x.Module.Streams {
			if w.used[net(i, s)] == "" {
				return "", faults.StreamWithoutEdge.Errorf("stream %s of %s (module %s) has no edge: connect the "+
					"stream in the application", s.Name, x.Name, x.Module.Top)
			}
		}
	}
	w.monitors()
	w.agent()
	w.probes()
	w.traces()
	return fill("partition.v.tmpl", w.text)
}

// endpoint returns the stream at one end of an edge.
func (w *partitionWriter) endpoint(part int, port string, input bool, width int, edge string) (Stream, error) {
	x := w.p.Parts[part]
	s, ok := x.Module.Stream(port, input)
	if !ok {
		return s, fmt.Errorf("%s: %w", x.Name, x.Module.without(port, input))
	}
	n := net(part, s)
	if other, ok := w.used[n]; ok && input {
		return s, faults.StreamWithoutEdge.Errorf("input port %s of %s has two edges, %s and %s, but an input port on "+
			"an FPGA can have only one edge: map the kernel to a core, or keep one edge", port, x.Name, other, edge)
	}
	w.used[n] = edge
	return s, fits(width, s, x)
}

// net returns the prefix of the signals of a part's stream.
func net(part int, s Stream) string {
	side := "m"
	if s.Input {
		side = "s"
	}
	return fmt.Sprintf("p%d_%s_%s", part, side, s.Name)
}

func (w *partitionWriter) declare(net string, width int) {
	w.text.Nets = append(w.text.Nets, streamText{Name: net, High: width - 1})
}

// part adds a kernel and the signals that indicate its activity.
func (w *partitionWriter) part(i int, x Part) {
	text := partText{Index: i, Top: x.Module.Top, Parameters: x.Module.parameters(), Drains: x.Module.Drains,
		Clocked: x.Module.clocked}
	var valid, blocked, has []string
	for _, s := range x.Module.Streams {
		n := net(i, s)
		w.declare(n, s.Width)
		text.Ports = append(text.Ports, portText{streamText{Input: s.Input}.Side() + "_" + s.Name, n, s.Input})
		valid = append(valid, n+"_valid")
		if s.Input {
			has = append(has, n+"_valid")
		} else {
			blocked = append(blocked, "("+n+"_valid && !"+n+"_ready)")
		}
	}
	for _, name := range x.Points {
		text.Points = append(text.Points, pointText{name, w.text.Points, slices.Contains(x.Module.Points, name)})
		w.text.Points++
	}
	w.seen(&text, x)
	text.Active, text.HasInput, text.NotBlocked = or(valid, "1'b0"), or(has, "1'b1"), "!"+or(blocked, "1'b0")
	w.text.Parts = append(w.text.Parts, text)
}

// seen adds a kernel's streams and state registers for the simulation, and connects its exposed outputs.
func (w *partitionWriter) seen(text *partText, x Part) {
	var valid, ready []string
	for _, s := range x.Module.Streams[:min(len(x.Module.Streams), maxClassified)] {
		n := net(text.Index, s)
		valid, ready = append(valid, n+"_valid"), append(ready, n+"_ready")
	}
	slices.Reverse(valid)
	slices.Reverse(ready)
	text.SeenHigh = max(len(valid)-1, 0)
	text.SeenValid, text.SeenReady = strings.Join(valid, ", "), strings.Join(ready, ", ")
	for i, m := range x.Machines {
		register := w.p.register(text.Index, i)
		text.States = append(text.States, stateText{fmt.Sprintf("seen%d_state%d", text.Index, i), m.Width - 1,
			register})
		if x.Module.exposed {
			text.Exposed = append(text.Exposed, exposedText{Port: m.Path, Net: register, High: m.Width - 1})
		}
	}
	for i := range x.Shown {
		s := &x.Shown[i]
		text.Exposed = append(text.Exposed, exposedText{s.Path, s.Net, s.Width - 1, s.Signed})
	}
}

// or returns the disjunction of signals; if there are no signals, it returns none.
func or(signals []string, none string) string {
	if len(signals) == 0 {
		return none
	}
	return "(" + strings.Join(signals, " || ") + ")"
}

// forks adds a fork after each stream that feeds several edges.
func (w *partitionWriter) forks() {
	count := func(part int, port string) {
		if s, ok := w.p.Parts[part].Module.Stream(port, false); ok {
			w.ways[net(part, s)]++
		}
	}
	for _, o := range w.p.Outers {
		if !o.Input {
			count(o.Part, o.Port)
		}
	}
	for _, x := range w.p.Wires {
		count(x.From, x.FromPort)
	}
	for i, x := range w.p.Parts {
		for _, s := range x.Module.Streams {
			n := net(i, s)
			if s.Input || w.ways[n] < 2 {
				continue
			}
			f := forkText{Name: n, High: s.Width - 1, Width: s.Width, Ways: w.ways[n]}
			var valid, ready []string
			for b := range f.Ways { // the first way is the lowest bit
				f.Branches = append(f.Branches, way(n, b))
				valid, ready = append(valid, way(n, b)+"_valid"), append(ready, way(n, b)+"_ready")
			}
			slices.Reverse(valid)
			slices.Reverse(ready)
			f.Valid, f.Ready = strings.Join(valid, ", "), strings.Join(ready, ", ")
			w.text.Forks = append(w.text.Forks, f)
		}
	}
}

func way(net string, i int) string { return fmt.Sprintf("%s_way%d", net, i) }

// from returns the signal prefix of the start of an output's next edge.
func (w *partitionWriter) from(part int, s Stream) string {
	n := net(part, s)
	if w.ways[n] < 2 {
		return n
	}
	w.connected[n]++
	return way(n, w.connected[n]-1)
}

// outer connects a stream of a kernel to a stream of the partition.
func (w *partitionWriter) outer(i int, o Outer, s Stream) {
	n := net(o.Part, s)
	if !o.Input {
		n = w.from(o.Part, s)
	}
	if o.Width > 0 && o.Width < s.Width { // limit the bits per cycle between the tap and the kernel
		inner := n
		n = "held_" + n
		w.declare(n, s.Width)
		from, to := inner, n
		if o.Input {
			from, to = n, inner
		}
		c := converter{w: w, here: from, width: s.Width}
		c.downsize(n+"_narrow", o.Width)
		c.upsize(n+"_wide", s.Width)
		c.connectTo(to)
	}
	w.text.Ports = append(w.text.Ports, boundaryText{streamText{o.Name, o.Input, s.Width - 1}, n})
	w.m.Streams = append(w.m.Streams, Stream{o.Name, o.Input, s.Width})
	if o.Streams {
		w.activity(n, Tap{Wire: -1, Outer: i, Put: o.Input, Bytes: s.Width / 8})
	}
	if o.Input && o.Services || !o.Input && o.Gaps {
		w.gaps(fmt.Sprintf("o%d", i), n, o.Element, s.Width, Tap{Wire: -1, Outer: i, Put: !o.Input})
	}
}

// wire adds the queue between two streams. If their widths differ, it adds converters before the queue. Each cycle
// moves the number of bits of the narrower stream, or of the wire's Width if that is smaller.
func (w *partitionWriter) wire(i int, x Wire, from, to Stream) error {
	a, b := w.from(x.From, from), net(x.To, to)
	w.text.Wires = append(w.text.Wires, wireText{i, a, b})
	unit := min(from.Width, to.Width)
	if x.Width > 0 && x.Width < unit {
		unit = x.Width
	}
	c := converter{w: w, here: a, width: from.Width}
	if from.Width%unit != 0 || to.Width%unit != 0 {
		c.gearbox(x.net(i)+"_gearbox", to.Width)
	} else {
		c.downsize(x.net(i)+"_narrow", unit)
		c.upsize(x.net(i)+"_wide", to.Width)
	}
	if x.Monitors.Streams {
		w.activity(a, Tap{Wire: i, Outer: -1, Put: true, Bytes: from.Width / 8})
		w.activity(b, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	start, words := a, x.Words
	if x.Initial > 0 {
		n, err := c.initial(x.net(i)+"_initial", x)
		if err != nil {
			return fmt.Errorf("%s to %s: %w", w.p.Parts[x.From].Name, w.p.Parts[x.To].Name, err)
		}
		start, words, x.fromWidth = c.here, max(words, n), to.Width // elements are counted after the converter
	}
	into := c.here
	c.queue(x.net(i)+"_queue", max(words, 2))
	c.connectTo(b)
	if x.Monitors.Queue {
		w.queue(into, c.here, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	if x.Monitors.Occupancy || x.Monitors.Latency {
		w.elements(i, x, start, b)
	}
	if x.Monitors.Gaps {
		w.gaps(x.net(i)+"_into", a, x.Element, from.Width, Tap{Wire: i, Outer: -1, Put: true})
	}
	if x.Monitors.Services {
		w.gaps(x.net(i)+"_outof", b, x.Element, to.Width, Tap{Wire: i, Outer: -1})
	}
	return nil
}

// converter appends modules to a stream in a chain.
type converter struct {
	w     *partitionWriter
	here  string // prefix of the signals at the end of the chain
	width int
}

func (c *converter) step(module, next string, width int, parameters string) {
	c.w.declare(next, width)
	c.w.text.Steps = append(c.w.text.Steps, stepText{module, parameters, c.here, next, module == "xopt_fifo"})
	c.here, c.width = next, width
}

// downsize narrows the words of the stream if they are wider than to.
func (c *converter) downsize(next string, to int) {
	if r := c.width / to; r > 1 {
		c.step("xopt_downsizer", next, to, fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", to, r, log(r+1)))
	}
}

func (c *converter) upsize(next string, to int) {
	if r := to / c.width; r > 1 {
		c.step("xopt_upsizer", next, to, fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", c.width, r, log(r+1)))
	}
}

// gearbox converts words to a width that neither divides the old width nor is a multiple of it.
func (c *converter) gearbox(next string, to int) {
	unit := sdf.GCD(c.width, to)
	a, b := c.width/unit, to/unit
	c.step("xopt_gearbox", next, to, fmt.Sprintf(".WIDTH(%d), .FROM(%d), .TO(%d), .LOG(%d)", unit, a, b,
		log(a+2*b+1)))
}

// maxValues is the maximum size in bytes of initial elements that are stored in the hardware.
const maxValues = 4096

// initial adds the initial elements that a wire contains after a reset. It returns their number of words.
func (c *converter) initial(next string, x Wire) (words int, err error) {
	if x.Initial*x.Element*8%c.width != 0 {
		return 0, faults.WidthDoesNotDivide.Errorf("the size of %s of %d bytes is not a whole number of %d-bit words",
			units.Counted(x.Initial, "initial element", "initial elements"), x.Element, c.width)
	}
	words = x.Initial * x.Element * 8 / c.width
	table, values := 1, "0"
	if x.Values != nil {
		if len(x.Values) > maxValues {
			return 0,
				faults.InitialTooLarge.Errorf("the values of the initial elements need %d bytes, but the "+
					"hardware can store only %d bytes: use fewer elements, or omit the values if all are zero",
					len(x.Values), maxValues)
		}
		first := slices.Clone(x.Values) // the first byte is the lowest
		slices.Reverse(first)
		table, values = words, fmt.Sprintf("%x", first)
	}
	c.step("xopt_initial", next, c.width, fmt.Sprintf(".WIDTH(%d), .WORDS(%d), .TABLE(%d), .LOG_WORDS(%d), "+
		".VALUES(%d'h%s)", c.width, words, table, max(log(words), 1), c.width*table, values))
	return words, nil
}

// queue adds a queue for at least the given number of words.
func (c *converter) queue(next string, words int) {
	c.step("xopt_fifo", next, c.width, fmt.Sprintf(".WIDTH(%d), .LOG_DEPTH(%d)", c.width, log(words)))
}

// connectTo connects the last module to a net.
func (c *converter) connectTo(to string) {
	c.w.text.Links = append(c.w.text.Links, linkText{c.here, to})
}
