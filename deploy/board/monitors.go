package board

import (
	"fmt"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl"
	"xopt/hdl/rtl"
)

// Monitor is a monitor in the hardware that counts the cycles of a kernel by state (rtl.StateMonitor), with the meaning
// of its codes.
type Monitor struct {
	Kernel string `json:"kernel"`
	// Does reports that the monitor records the kernel's activity and the stream for which the kernel waits.
	Does    bool            `json:"does,omitempty"`
	Streams []MonitorStream `json:"streams"`
	// Machine is the monitored state machine; nil for none.
	Machine *rtl.Machine `json:"machine,omitempty"`
	Slot    int          `json:"slot"` // index of its counts among the histograms of a record
	LUT     float64      `json:"lut"`  // area of the monitor, synthesized alone
	FF      float64      `json:"ff"`
	BRAM    float64      `json:"bram"`
}

// MonitorStream is a stream of a kernel, by the name of its port.
type MonitorStream struct {
	Port  string `json:"port"`
	Input bool   `json:"input,omitempty"`
}

// monitorsOf returns the monitors of a design with the names of their kernels.
func monitorsOf(h *xsim.Hardware, d *design.Design) (list []Monitor) {
	f := h.Federate
	for i := range f.Monitors {
		m, seen := &f.Monitors[i], &f.Seen[f.Monitors[i].Part]
		x := Monitor{Kernel: d.Program.Kernels[f.Parts[m.Part]].Name, Does: m.Does,
			Slot: h.Partition.Monitors[i].Slot, LUT: m.LUT, FF: m.FF, BRAM: m.BRAM}
		for _, s := range seen.Streams {
			x.Streams = append(x.Streams, MonitorStream{s.Name, s.Input})
		}
		if m.Machine >= 0 {
			x.Machine = &seen.Machines[m.Machine]
		}
		list = append(list, x)
	}
	return list
}

// monitor converts the monitor to the form that package program uses. It also returns the streams and state machines.
func (m *Monitor) monitor() (x program.FederateMonitor, streams []rtl.Stream, machines []rtl.Machine) {
	x = program.FederateMonitor{StateMonitor: rtl.StateMonitor{Machine: -1, Does: m.Does, Slot: m.Slot}, LUT: m.LUT,
		FF: m.FF, BRAM: m.BRAM}
	for _, s := range m.Streams {
		streams = append(streams, rtl.Stream{Name: s.Port, Input: s.Input})
	}
	if m.Machine != nil {
		x.Machine, machines = 0, []rtl.Machine{*m.Machine}
	}
	return x, streams, machines
}

// bits returns the width of the monitor's codes, or an error if the monitor is invalid.
func (m *Monitor) bits(histograms, bins int) (int, error) {
	const maxStreams, maxBits = 64, 64
	if len(m.Streams) > maxStreams || m.Slot < 0 || m.Slot >= histograms || m.Machine == nil && !m.Does ||
		m.Machine != nil && (m.Machine.Width < 1 || m.Machine.Width > maxBits || len(m.Machine.States) > bins) {
		return 0, fmt.Errorf("the monitor of %s has invalid streams, invalid states, or an invalid histogram number "+
			"(%d of %d)", m.Kernel, m.Slot, histograms)
	}
	x, streams, machines := m.monitor()
	n := x.Bits(len(streams), machines)
	if 1<<n > bins {
		return 0, fmt.Errorf("the codes of the monitor of %s have %d bits, too many for histograms of %d bins",
			m.Kernel, n, bins)
	}
	return n, nil
}

// bins returns the number of bins of a histogram.
func (d *Description) bins() int {
	if d.Bins > 0 {
		return d.Bins
	}
	return rtl.Bins
}

// monitors computes the counts of the state monitors. Even and odd records use different banks of counters
// (hdl/tap/xopt_states.v). Each count is the difference from the previous record of the same bank. Counters have 16
// bits and wrap.
func (r *reader) monitors(list []hdl.Record) {
	if len(r.about.Monitors) == 0 || len(list) == 0 {
		return
	}
	const maxFrame = 1<<16 - 1 // no count can wrap twice within this number of cycles
	if r.summary.frame > maxFrame {
		r.m.Notes = append(r.m.Notes, faults.MonitorsWrapped.Notef("the counts of state monitors are unusable: "+
			"frames had %d cycles, but counters wrap after %d cycles (run the host program with --frame %d "+
			"or less)", r.summary.frame, maxFrame, maxFrame))
		return
	}
	if lost := list[len(list)-1].Lost; lost > 0 {
		r.m.Notes = append(r.m.Notes, faults.MonitorsIncomplete.Notef("the counts of state monitors are incomplete: "+
			"they exclude the cycles of lost records"))
	}
	bins := r.about.bins()
	for i := range r.about.Monitors {
		m := &r.about.Monitors[i]
		x, streams, machines := m.monitor()
		counts := make([]uint64, 1<<x.Bits(len(streams), machines))
		before := [2][]uint16{make([]uint16, len(counts)), make([]uint16, len(counts))}
		for j := range list {
			bank := before[list[j].Number%2]
			for code, n := range list[j].Bins[m.Slot*bins : m.Slot*bins+len(counts)] {
				counts[code] += uint64(uint16(n) - bank[code])
				bank[code] = uint16(n)
			}
		}
		kernel := slices.IndexFunc(r.d.Program.Kernels, func(k xlang.Kernel) bool { return k.Name == m.Kernel })
		r.m.Counted = append(r.m.Counted, run.KernelCounted{Kernel: kernel, FPGA: r.about.FPGA, Monitor: x,
			Streams: streams, Machines: machines, Counted: x.Count(counts, len(streams), machines)})
	}
}
