package gnuradio

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"xopt/internal/fault"
)

// Measurement contains the figures of a flow graph on one machine. Rates are in items/s, times in seconds.
type Measurement struct {
	GNURadio    string   `json:"gnuradio"` // version of GNU Radio
	Python      string   `json:"python"`
	FlowGraph   string   `json:"flowGraph"` // path of the .grc file as the user named it
	SHA256      string   `json:"sha256"`    // hash of the .grc file
	CPUs        []int    `json:"cpus"`      // processors that the graph may use
	Headless    bool     `json:"headless,omitempty"`
	Unthrottled bool     `json:"unthrottled,omitempty"`
	Replaced    []string `json:"replaced,omitempty"` // hardware blocks that null sources and sinks replaced
	Hardware    []string `json:"hardware,omitempty"` // hardware blocks that ran

	Blocks   []Block  `json:"blocks"`
	Edges    []Edge   `json:"edges"`
	Messages []string `json:"messages,omitempty"` // message connections, which the model ignores
	Sink     Sink     `json:"sink"`

	Rate    Estimate    `json:"rate"`    // items/s at the sink, without counters
	Figures []Figures   `json:"figures"` // one for each block
	Shares  [][]float64 `json:"shares"`  // busy share of each block's thread, by window without counters
	Others  float64     `json:"others"`  // processors used by other programs
	// Unassigned is the number of processors used by threads of the graph that belong to no block, such as a display.
	Unassigned float64  `json:"unassigned"`
	Cost       Estimate `json:"cost"` // relative change of the rate by the counters
	// Slowed contains the effects of additional work in the busiest block and in another block. It is empty on
	// processors other than x86-64, and with hardware.
	Slowed []Slowed     `json:"slowed,omitempty"`
	Trials []Trial      `json:"trials,omitempty"`
	Notes  []fault.Note `json:"notes,omitempty"`
	// Interrupted is set if the measurement ended before all settings were tried.
	Interrupted bool    `json:"interrupted,omitempty"`
	Seconds     float64 `json:"seconds"` // duration of the measurement
}

// Sink is the input at which the rate of a graph is measured.
type Sink struct {
	UID   string `json:"uid"`
	Name  string `json:"name"`
	Port  int    `json:"port"` // position in Read
	Bytes int    `json:"bytes"`
}

// Figures contains the mean figures of a block. Shares are in s/s.
type Figures struct {
	Share   Estimate  `json:"share"`   // processor time of the thread per second, without counters
	Queued  float64   `json:"queued"`  // time per second that the thread waits for a processor
	PerItem float64   `json:"perItem"` // processor time per item, in s
	Items   float64   `json:"items"`   // items/s at the busiest input; at the first output of a source
	Calls   float64   `json:"calls"`   // work calls per second; 0 if unknown
	Read    []float64 `json:"read"`    // items/s of each input
	Written []float64 `json:"written"`
	InFull  []float64 `json:"inFull,omitempty"` // mean fill of buffers
	OutFull []float64 `json:"outFull,omitempty"`
	// Assumed is set if the block is assumed to produce as many items as it consumes, because some rates are unknown.
	Assumed bool `json:"assumed,omitempty"`
	// ItemCost and CallCost are the parts of the processor time per item and per work call, in s. They come from runs
	// with two buffer sizes, and are 0 if the sizes do not separate the two costs.
	ItemCost float64 `json:"itemCost,omitempty"`
	CallCost float64 `json:"callCost,omitempty"`
}

// Trial is a setting that ran alternately with the unchanged flow graph.
type Trial struct {
	Name     string           `json:"name"` // such as "pin1" or "buffers"
	Affinity map[string][]int `json:"affinity,omitempty"`
	MinBytes int              `json:"minBytes,omitempty"` // minimum size of output buffers
	MaxNouts int              `json:"maxNouts,omitempty"` // maximum number of items that a work call produces
	// Confirmed is set if Gain is from pairs of runs that had no influence on the choice of the setting.
	Confirmed bool      `json:"confirmed,omitempty"`
	Gain      Estimate  `json:"gain"`  // relative to the unchanged graph, in pairs of windows
	Rates     []float64 `json:"rates"` // items/s at the sink
}

// chooseSink returns the input with the most bytes among the blocks without outputs. If none of them consumed an item
// in the windows, it returns the input of any block with the most bytes.
func chooseSink(blocks []Block, windows []Window) Sink {
	var best Sink
	largest := -1.
	for _, ends := range []bool{true, false} {
		for i := range blocks {
			b := &blocks[i]
			if ends && len(b.Outputs) > 0 {
				continue
			}
			for p := range b.Inputs {
				s := Sink{b.UID, b.Label(), p, max(1, b.Inputs[p])}
				if bytes := mean(windows, s.rate) * float64(s.Bytes); bytes > largest {
					largest, best = bytes, s
				}
			}
		}
		if largest > 0 {
			break
		}
	}
	return best
}

// rate returns the items/s at a sink in a window.
func (s *Sink) rate(w *Window) float64 {
	u, ok := w.Blocks[s.UID]
	if !ok || s.Port >= len(u.Read) || w.Seconds <= 0 {
		return 0
	}
	return u.Read[s.Port] / w.Seconds
}

// byVariant returns the windows of each variant in order.
func byVariant(r *record, variants int) [][]Window {
	list := make([][]Window, variants)
	for _, w := range r.Windows {
		list[w.Variant] = append(list[w.Variant], w)
	}
	return list
}

// rates returns the items/s at a sink in each window.
func (s *Sink) rates(windows []Window) []float64 {
	list := make([]float64, len(windows))
	for i := range windows {
		list[i] = s.rate(&windows[i])
	}
	return list
}

// logRatios returns the logarithms of the ratios of two lists of rates; it omits pairs with a rate of 0.
func logRatios(with, without []float64) []float64 {
	var logs []float64
	for i := range min(len(with), len(without)) {
		if with[i] > 0 && without[i] > 0 {
			logs = append(logs, math.Log(with[i]/without[i]))
		}
	}
	return logs
}

// mean returns the mean of a figure over windows.
func mean(windows []Window, f func(w *Window) float64) float64 {
	sum := 0.
	for i := range windows {
		sum += f(&windows[i])
	}
	return sum / float64(max(1, len(windows)))
}

// figures computes the figures of each block. Fills and calls come from the windows with counters, and rates and
// shares from the windows without counters.
func figures(blocks []Block, counted, plain []Window) []Figures {
	list := make([]Figures, len(blocks))
	for i := range blocks {
		uid, f := blocks[i].UID, &list[i]
		used := func(w *Window) Used { return w.Blocks[uid] }
		f.Share = estimate(sharesOf(uid, plain))
		f.Queued = mean(plain, func(w *Window) float64 { return used(w).Queued / w.Seconds })
		f.Read = perSecond(plain, len(blocks[i].Inputs), func(w *Window) []float64 { return used(w).Read })
		f.Written = perSecond(plain, len(blocks[i].Outputs), func(w *Window) []float64 { return used(w).Written })
		f.InFull = fills(counted, func(w *Window) []float64 { return used(w).InFull })
		f.OutFull = fills(counted, func(w *Window) []float64 { return used(w).OutFull })
		f.countItems()
		f.Calls = mean(counted, func(w *Window) float64 {
			if u := used(w); u.Call > 0 {
				return u.Work / u.Call / w.Seconds
			}
			return 0
		})
	}
	return list
}

// IsIncomplete reports whether the rate of a port is unknown.
func (f *Figures) IsIncomplete() bool {
	return slices.Contains(f.Read, -1) || slices.Contains(f.Written, -1)
}

// countItems computes Items and PerItem from the rates of the ports.
func (f *Figures) countItems() {
	switch {
	case len(f.Read) > 0:
		f.Items = max(0, slices.Max(f.Read))
	case len(f.Written) > 0:
		f.Items = max(0, f.Written[0])
	}
	if f.Items > 0 {
		f.PerItem = f.Share.Mean / f.Items
	}
}

// sharesOf returns the busy share of a block's thread in each window.
func sharesOf(uid string, windows []Window) []float64 {
	list := make([]float64, len(windows))
	for i := range windows {
		list[i] = windows[i].Blocks[uid].CPU / windows[i].Seconds
	}
	return list
}

// perSecond returns the mean rate of each port; -1 for ports with an unknown rate.
func perSecond(windows []Window, ports int, of func(w *Window) []float64) []float64 {
	list := make([]float64, ports)
	for p := range list {
		list[p] = mean(windows, func(w *Window) float64 {
			if items := of(w); p < len(items) && items[p] >= 0 {
				return items[p] / w.Seconds
			}
			return -1
		})
	}
	return list
}

// fills returns the mean fill of each buffer.
func fills(windows []Window, of func(w *Window) []float64) []float64 {
	if len(windows) == 0 {
		return nil
	}
	list := make([]float64, len(of(&windows[0])))
	for p := range list {
		list[p] = mean(windows, func(w *Window) float64 {
			if x := of(w); p < len(x) {
				return x[p]
			}
			return 0
		})
	}
	return list
}

// Load returns the mean load of the threads.
func (m *Measurement) Load() Load {
	var shares []float64
	for i := range m.Figures {
		shares = append(shares, max(0, m.Figures[i].Share.Mean))
	}
	return m.loadWith(shares, m.Others+m.Unassigned)
}

// loadWith returns the load of threads with the given shares. others is the number of processors that other threads
// use. The graph has at least as many processors as it used.
func (m *Measurement) loadWith(shares []float64, others float64) Load {
	l := Load{Shares: shares}
	l.Processors = max(l.Sum(), float64(len(m.CPUs))-others, minProcessors)
	return l
}

// unassigned returns the mean number of processors used by threads of the graph that belong to no block.
func unassigned(windows []Window) float64 {
	return mean(windows, func(w *Window) float64 {
		rest := w.Own
		for _, u := range w.Blocks {
			rest -= u.CPU
		}
		return max(0, rest) / w.Seconds
	})
}

// othersIn returns the mean number of processors used by other programs.
func othersIn(windows []Window) float64 {
	return mean(windows, func(w *Window) float64 { return w.Others / w.Seconds })
}

// minProcessors is a lower limit that avoids a division by zero for an idle graph on a busy machine.
const minProcessors = 0.01

// Pinned returns the relative gain of a pinning that the model predicts. In the model, the busiest processor replaces
// the limit of the unpinned graph. affinity contains the processor of each block of the .grc file.
func (m *Measurement) Pinned(affinity map[string][]int) float64 {
	number := make(map[int]int)
	at := make([]int, len(m.Blocks))
	for i := range m.Blocks {
		if cpus := affinity[m.Blocks[i].Group()]; len(cpus) > 0 {
			if _, ok := number[cpus[0]]; !ok {
				number[cpus[0]] = len(number)
			}
			at[i] = number[cpus[0]]
		}
	}
	l := m.Load()
	if pinned := l.Pinned(at, max(1, len(number))); pinned > 0 {
		return l.Busy()/pinned - 1
	}
	return 0
}

// connected reports for each block whether streams or messages connect it to the sink, in any direction. Other blocks
// form separate graphs.
func (m *Measurement) connected() []bool {
	linked := make(map[string][]string)
	link := func(a, b string) { linked[a], linked[b] = append(linked[a], b), append(linked[b], a) }
	for _, e := range m.Edges {
		link(e.From, e.To)
	}
	for _, text := range m.Messages {
		link(m.messageEnds(text))
	}
	seen := map[string]bool{m.Sink.UID: true}
	for open := []string{m.Sink.UID}; len(open) > 0; {
		next := linked[open[0]]
		open = open[1:]
		for _, uid := range next {
			if !seen[uid] {
				seen[uid] = true
				open = append(open, uid)
			}
		}
	}
	list := make([]bool, len(m.Blocks))
	for i := range list {
		list[i] = seen[m.Blocks[i].UID]
	}
	return list
}

// index returns the position of a block, or -1.
func (m *Measurement) index(uid string) int {
	return slices.IndexFunc(m.Blocks, func(b Block) bool { return b.UID == uid })
}

// messageEnds returns the blocks of a message connection such as "a:out->b:in". Names of known blocks may contain "->".
func (m *Measurement) messageEnds(text string) (from, to string) {
	const arrow = "->"
	for i := range text {
		if strings.HasPrefix(text[i:], arrow) {
			from, to = blockOfPort(text[:i]), blockOfPort(text[i+len(arrow):])
			if m.index(from) >= 0 && m.index(to) >= 0 {
				return from, to
			}
		}
	}
	before, after, _ := strings.Cut(text, arrow)
	return blockOfPort(before), blockOfPort(after)
}

// blockOfPort returns the block of a port such as "pdu_to_stream0:in".
func blockOfPort(port string) string {
	port = strings.TrimSpace(port)
	return port[:max(0, strings.LastIndexByte(port, ':'))]
}

// loads returns the load in each window without counters.
func (m *Measurement) loads() []Load {
	var list []Load
	for _, shares := range m.Shares {
		list = append(list, m.loadWith(shares, m.Others+m.Unassigned))
	}
	return list
}

// ByShare returns the numbers of the blocks in order of the busy share of their threads, the busiest first.
func (m *Measurement) ByShare() []int {
	order := make([]int, len(m.Blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(m.Figures[b].Share.Mean, m.Figures[a].Share.Mean)
	})
	return order
}
