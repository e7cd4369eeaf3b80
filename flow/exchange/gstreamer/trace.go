package gstreamer

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
)

// IsTrace reports whether a text is a log of tracers.
func IsTrace(text []byte) bool { return strings.Contains(string(text), "GST_TRACER") }

// maxLine limits the length of a line of the log.
const maxLine = 1 << 20

// pad identifies a pad by the names of its element and of itself.
type pad struct{ element, name string }

// samples contains the number, the sum, and the sum of squares of values.
type samples struct{ n, sum, squares float64 }

func (s *samples) add(v float64) {
	s.n++
	s.sum += v
	s.squares += v * v
}

func (s *samples) mean() float64 { return rounded(s.sum / s.n) }

// rounded returns a number rounded to six digits, because further digits of a measured mean are insignificant.
func rounded(v float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // a formatted number has no error
	return x
}

// scv returns the squared coefficient of variation.
func (s *samples) scv() float64 {
	if s.sum == 0 {
		return 0
	}
	return max(0, rounded(s.squares*s.n/(s.sum*s.sum)-1))
}

// trace contains the values of a log.
type trace struct {
	elements map[string]string // by index
	pads     map[string]pad    // by index
	latency  map[pad]*samples  // seconds between a buffer's arrival at the element and its departure from the pad
	sizes    map[pad]*samples  // bytes of the buffers that leave the pad
	threads  map[string]*thread
}

// thread is a streaming thread. The first element of a thread is a source or a queue.
type thread struct {
	head string
	last float64 // time of the last push
	tail string  // receiver of the last push
	gaps samples
	gap  float64 // shortest time between the last push of one buffer and the first push of the next
}

// ReadTrace adds times, sizes and rates from a log of the tracers latency(flags=element) and stats. name is the file
// name for errors.
func (p *Pipeline) ReadTrace(name string, r io.Reader) error {
	t := &trace{map[string]string{}, map[string]pad{}, map[pad]*samples{}, map[pad]*samples{}, map[string]*thread{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		t.line(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(t.latency) == 0 || len(t.sizes) == 0 {
		return faults.WrongImportedTimes.Errorf("%s contains no element-latency or no buffer records (record it with "+
			`GST_DEBUG=GST_TRACER:7 GST_TRACERS="latency(flags=element);stats")`, name)
	}
	from := timed.Imported("measured", name)
	for _, at := range slices.SortedFunc(maps.Keys(t.latency), comparePads) {
		s := t.latency[at]
		k := p.kernel(at.element)
		if k < 0 {
			continue
		}
		if old, ok := p.Kernels[k].Times[Core]; !ok || s.mean() < old.Seconds || old.From != from {
			p.Kernels[k].Times[Core] = timed.Time{Seconds: s.mean(), SCV: s.scv(),
				From: from} // the time of a tee is the time of its first branch
		}
	}
	t.ends(p, name)
	return t.rates(p, name)
}

func comparePads(a, b pad) int {
	return strings.Compare(a.element+"\x00"+a.name, b.element+"\x00"+b.name)
}

// kernel returns the index of an element; -1 for queues, bins and elements outside the graph.
func (p *Pipeline) kernel(element string) int {
	return slices.IndexFunc(p.Kernels, func(k timed.Kernel) bool { return k.Name == element })
}

// field returns the value of a field such as time=(guint64)92291; "" for none.
func field(line, name string) string {
	_, rest, ok := strings.Cut(line, " "+name+"=(")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, ")")
	value, _, _ := strings.Cut(rest, ",")
	return strings.TrimSuffix(value, ";")
}

func number(line, name string) float64 {
	v, err := strconv.ParseFloat(field(line, name), 64)
	if err != nil {
		return 0
	}
	return v
}

func (t *trace) line(line string) {
	_, record, ok := strings.Cut(line, "GST_TRACER :0:: ")
	if !ok {
		return
	}
	switch kind, _, _ := strings.Cut(record, ","); kind {
	case "new-element":
		t.elements[field(record, "ix")] = field(record, "name")
	case "new-pad":
		t.pads[field(record, "ix")] = pad{t.elements[field(record, "parent-ix")], field(record, "name")}
	case "element-latency":
		at := pad{field(record, "element"), field(record, "src")}
		if t.latency[at] == nil {
			t.latency[at] = &samples{}
		}
		t.latency[at].add(number(record, "time") / 1e9)
	case "buffer":
		t.buffer(record)
	}
}

// buffer reads a record of a push.
func (t *trace) buffer(record string) {
	at := t.pads[field(record, "pad-ix")]
	if t.sizes[at] == nil {
		t.sizes[at] = &samples{}
	}
	t.sizes[at].add(number(record, "buffer-size"))
	id, now := field(record, "thread-id"), number(record, "ts")/1e9
	x := t.threads[id]
	switch {
	case x == nil:
		x = &thread{head: at.element, gap: math.Inf(1)}
		t.threads[id] = x
	case x.head == at.element:
		x.gap = min(x.gap, now-x.last)
		x.gaps.add(now - x.last)
	}
	x.last, x.tail = now, t.elements[field(record, "peer-element-ix")]
}

// ends estimates the times of sources and sinks from the shortest gap between two buffers in their thread, because the
// tracer does not measure these times.
func (t *trace) ends(p *Pipeline, name string) {
	for _, id := range slices.Sorted(maps.Keys(t.threads)) {
		x := t.threads[id]
		for _, element := range []string{x.head, x.tail} {
			k := p.kernel(element)
			if k < 0 || x.gaps.n == 0 || len(p.Kernels[k].Times) > 0 {
				continue
			}
			p.Kernels[k].Times[Core] = timed.Time{Seconds: rounded(x.gap), SCV: math.NaN(),
				From: timed.Imported("measured", name) +
					" (the shortest gap between two buffers)"}
			p.Notes = append(p.Notes, faults.GapsAssumed.Notef("the tracer does not measure sources and sinks, so "+
				"the time "+
				"of %s is the shortest of %.0f gaps between buffers in its thread (state a better time in a CSV file)",
				element, x.gaps.n))
			break
		}
	}
}

// setSizes sets the sizes of elements and the capacities of queues. It returns the number of buffers on each edge.
func (t *trace) setSizes(p *Pipeline, name string) ([]float64, error) {
	counts := make([]float64, len(p.Edges))
	for i := range p.Edges {
		e := &p.Edges[i]
		s := t.sizes[pad{p.Kernels[e.From].Name, e.FromPort}]
		if s == nil {
			return nil, faults.WrongImportedTimes.Errorf("%s: no buffer left pad %s of %s (record the graph and the "+
				"log in the "+
				"same run)", name, e.FromPort, p.Kernels[e.From].Name)
		}
		e.Bytes, counts[i] = max(1, int64(math.Ceil(s.mean()))), s.n
		q := p.queues[i]
		if q.name == "" {
			continue
		}
		e.Buffer = q.buffers
		if n := (q.bytes + e.Bytes - 1) / e.Bytes; q.bytes > 0 && (n < e.Buffer || e.Buffer == 0) {
			e.Buffer = n
		}
	}
	return counts, nil
}

// These constants limit the conversion of measured counts to elements per firing.
const (
	countTolerance = 0.05 // relative difference from a whole number
	extraBuffers   = 8    // additional buffers in a run, such as headers
	maxBatch       = 10   // maximum number of firings; with more firings, every ratio would be within the tolerance
)

// rates sets the elements per firing: the smallest whole numbers in the ratio of a kernel's measured counts.
func (t *trace) rates(p *Pipeline, name string) error {
	counts, err := t.setSizes(p, name)
	if err != nil {
		return err
	}
	for k := range p.Kernels {
		fewest := math.Inf(1) // buffers on an edge of the kernel
		for i, e := range p.Edges {
			if e.From == k || e.To == k {
				fewest = min(fewest, counts[i])
			}
		}
		batch := 1.0
		for ; batch < maxBatch; batch++ {
			if haveWholeRates(p, k, counts, batch/fewest) {
				break
			}
		}
		var list []string
		for i := range p.Edges {
			e := &p.Edges[i]
			n := int64(max(1, math.Round(counts[i]*batch/fewest)))
			if e.From == k {
				e.Emits = n
				list = append(list, fmt.Sprintf("sends %d on %s", n, e.FromPort))
			}
			if e.To == k {
				e.Consumes = n
				list = append(list, fmt.Sprintf("consumes %d on %s", n, e.ToPort))
			}
		}
		if slices.ContainsFunc(list, func(s string) bool { return !strings.Contains(s, " 1 on ") }) {
			x := p.Kernels[k].Times[Core]
			x.Seconds *= batch
			p.Kernels[k].Times[Core] = x
			p.Notes = append(p.Notes, faults.RatesRounded.Notef("according to the counts of buffers in %s, a firing "+
				"of %s "+
				"%s", name, p.Kernels[k].Name, strings.Join(list, " and ")))
		}
	}
	p.dropSmallQueues()
	return nil
}

// haveWholeRates reports whether all counts of a kernel, multiplied by scale, are whole numbers within the tolerance.
func haveWholeRates(p *Pipeline, k int, counts []float64, scale float64) bool {
	for i, e := range p.Edges {
		n := counts[i] * scale
		if (e.From == k || e.To == k) && math.Abs(n-math.Round(n)) > max(countTolerance*n, extraBuffers*scale) {
			return false
		}
	}
	return true
}

// dropSmallQueues omits capacities that are too small for the elements of a firing, because GStreamer's elements
// consume the buffers of such a firing one by one.
func (p *Pipeline) dropSmallQueues() {
	for i := range p.Edges {
		if e := &p.Edges[i]; e.Buffer > 0 && e.Buffer < e.Emits+e.Consumes-1 {
			p.Notes = append(p.Notes, faults.LeftOut.Notef("xopt omits the limit of queue %s (%d buffers), because "+
				"a firing of the kernels at its ends needs %d buffers", p.queues[i].name, e.Buffer,
				e.Emits+e.Consumes-1))
			e.Buffer = 0
		}
	}
}
