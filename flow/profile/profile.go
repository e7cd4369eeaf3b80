// Package profile defines profiles: the measured figures of kernels and links on one machine, with their uncertainty.
// Calibration measures each kernel alone, so that the kernel never waits for input or space (Beard 2013 §3.1, Fig. 9).
//
// Package flow predicts mappings from the figures of a profile; package profile makes no predictions.
package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/queueing/times"
)

// Schema is the version of the profile file.
const Schema = 1

// Profile contains the measured figures of one machine. Rates are in bytes/s, times in seconds, sizes in bytes.
type Profile struct {
	Schema  int     `json:"schema"`
	Machine Machine `json:"machine"`
	// Conditions describe the load and the settings during the measurement.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Reference describes the speed of the machine during the measurement; nil in profiles of earlier versions.
	Reference *Reference `json:"reference,omitempty"`
	Kernels   []Kernel   `json:"kernels"`
	Links     []Link     `json:"links,omitempty"`
	Sharing   []Sharing  `json:"sharing,omitempty"`
	// Copies contains the costs of copies of kernels; nil if not measured.
	Copies *Copies `json:"copies,omitempty"`
	// Memory describes the levels of pressure of the kernels' Contention; nil if not measured, as in older profiles.
	Memory *Memory `json:"memory,omitempty"`
	// GNURadio contains the counters of a flow graph of GNU Radio, which package deploy/gnuradio reads; nil for other
	// profiles.
	GNURadio json.RawMessage `json:"gnuradio,omitempty"`
}

// Conditions contains the conditions of a profile's measurement.
type Conditions struct {
	DataSet string `json:"dataSet,omitempty"` // value of --input
	// Elements is the value of --elements for the recorded run; 0 if it was not set, as in older profiles.
	Elements uint64  `json:"elements,omitempty"`
	Seconds  float64 `json:"seconds"` // duration of the measurement
	Rounds   int     `json:"rounds"`  // measurement rounds over all kernels
	Dropped  int     `json:"dropped"` // windows dropped because another process used the processor
	// Spins contains the times of the reference spins in seconds, in profiles of earlier versions. Others is the mean
	// number of processors used by other programs.
	Spins     []float64 `json:"spins,omitempty"`
	Others    float64   `json:"others"`
	Disturbed string    `json:"disturbed,omitempty"` // cause of the disturbance, or ""; see [Profile.Disturbance]
	// Incomplete describes the omitted parts and the reason (interrupted, or lack of time); "" for none.
	Incomplete string `json:"incomplete,omitempty"`
}

// Disturbance describes the disturbance of a profile's measurement, or returns "". The result is also "" if other
// programs used only a small fraction of a processor and no kernel is disturbed.
func (p *Profile) Disturbance() string {
	c := p.Conditions
	if c == nil || c.Disturbed == "" {
		return ""
	}
	slight := c.Others > 0 && !IsCrowded(c.Others)
	if slight && !slices.ContainsFunc(p.Kernels, func(k Kernel) bool { return k.IsDisturbed() }) {
		return ""
	}
	return c.Disturbed
}

// DoubtDisturbed is the start of the text in Kernel.Doubt if the figures come from windows in which another process
// used the processor.
const DoubtDisturbed = "disturbed while it was measured"

// IsDisturbed reports whether a kernel's figures come from windows in which another process used the processor.
func (k *Kernel) IsDisturbed() bool { return strings.HasPrefix(k.Doubt, DoubtDisturbed) }

// Copies contains the costs of copies of a kernel on cores, in s per batch. The costs exclude the work of the kernel,
// and the cost of transfers to other cores.
type Copies struct {
	Batch   int    `json:"batch"`   // firings in a batch during the measurement; costs do not depend on this number
	Divide  Figure `json:"divide"`  // cost at a copy, to start its turn and skip elements of other copies
	Collect Figure `json:"collect"` // cost at the reader, to detect the ends of batches and restore their order
}

func (c *Copies) validate(check func(path string, f *Figure, positive bool)) {
	if c != nil {
		check("copies.divide", &c.Divide, false)
		check("copies.collect", &c.Collect, false)
	}
}

// Machine describes the machine to which the figures apply.
type Machine struct {
	CPU      string            `json:"cpu"` // model of the processor
	Cores    int               `json:"cores"`
	Kernel   string            `json:"kernel"`           // version of the operating system's kernel
	Caches   string            `json:"caches,omitempty"` // caches of a core, see [ThisCaches]
	Compiler string            `json:"compiler,omitempty"`
	Flags    string            `json:"flags,omitempty"`
	Tools    map[string]string `json:"tools,omitempty"` // version of each tool
}

// Kernel contains the measured figures of one kernel on one platform.
type Kernel struct {
	Block    string `json:"block"`
	Instance string `json:"instance,omitempty"` // set if the figures apply to one instance only
	Platform string `json:"platform"`           // platform of the X files
	Resource string `json:"resource,omitempty"` // set if the figures apply to one resource only

	ServiceRate *Figure `json:"serviceRate,omitempty"` // μ
	// Undisturbed describes how the undisturbed service rate was estimated; nil in profiles of earlier versions.
	Undisturbed *Undisturbed      `json:"undisturbed,omitempty"`
	Gain        *Figure           `json:"gain,omitempty"`    // γ, over all ports
	Routing     map[string]Figure `json:"routing,omitempty"` // R, by output port
	ServiceSCV  *Figure           `json:"serviceSCV,omitempty"`
	FiringBytes *Figure           `json:"firingBytes,omitempty"`
	// Times is the distribution of the service times of single firings in seconds, with the kernel alone. Times is nil
	// if the distribution was not measured; Untimed is then the reason. Profiles of earlier versions contain neither
	// Times nor Untimed.
	Times   *times.Distribution `json:"times,omitempty"`
	Untimed string              `json:"untimed,omitempty"`
	// Batch is the number of elements that the kernel sends at once, by output port: in one firing, or in one call of a
	// source.
	Batch map[string]Figure `json:"batch,omitempty"`
	// Recorded is not empty if Batch, and Gain or Routing, come from the recorded run. Calibration uses this run for a
	// kernel with state, because these figures differ when the kernel runs alone. Recorded is "" if the kernel was
	// measured alone.
	Recorded string `json:"recorded,omitempty"`
	// Doubt is the reason why the next calibration measures the kernel again: the measurement was disturbed,
	// insufficiently precise, or interrupted. It is "" for none.
	Doubt string `json:"doubt,omitempty"`
	// CodeBytes is the size of the block's machine code.
	CodeBytes int64 `json:"codeBytes,omitempty"`
	// Hash identifies the measured kernel by the block's machine code, its configs, the data set and the machine.
	// Calibration does not measure a kernel with the same hash again.
	Hash string `json:"hash,omitempty"`
	// CoLocationCost is the additional time in s/byte when all other kernels of the application share the core. The
	// windows of the figure are from runs of all kernels.
	CoLocationCost *Figure `json:"coLocationCost,omitempty"`
	// SwitchCost is the time that the process spends between turns in runs of all kernels, in s per byte that this
	// kernel consumes. Calibration divides this time among the kernels in proportion to their turns. SwitchCost applies
	// to one process per core.
	SwitchCost *Figure `json:"switchCost,omitempty"`
	// ReceiveCost and SendCost are the additional costs, in s/byte, of data from or to a kernel on another core.
	ReceiveCost *Figure `json:"receiveCost,omitempty"`
	SendCost    *Figure `json:"sendCost,omitempty"`
	// ReceiveFar and SendFar are the costs of receiving and sending while the cores are far apart
	// ([Distance].FarApart). Both are nil if the cores were never far apart.
	ReceiveFar *Figure `json:"receiveFar,omitempty"`
	SendFar    *Figure `json:"sendFar,omitempty"`
	// Contention describes how the kernel and kernels on other cores slow each other down through memory. Contention is
	// nil if not measured, as in older profiles.
	Contention *Contention `json:"contention,omitempty"`
	Area       *Area       `json:"area,omitempty"` // result of the synthesis
	CopiesArea *CopiesArea `json:"copiesArea,omitempty"`
	MaxClock   *Figure     `json:"maxClock,omitempty"`
	// Clock is the clock in Hz of ServiceRate, for a kernel on an FPGA; 0 if unknown.
	Clock float64 `json:"clock,omitempty"`
	// How describes the measurement of a kernel on an FPGA, such as its simulation and clock.
	How string `json:"how,omitempty"`
	// Elsewhere is the origin of figures that this program did not measure; "" for its own measurements. For times from
	// the trace FILE, Elsewhere is "measured elsewhere: FILE", or starts with "simulated", "assumed" or "published" in
	// place of "measured".
	Elsewhere string `json:"elsewhere,omitempty"`
	// Cycles classifies the cycles of a kernel on an FPGA; nil for other kernels, and in profiles of earlier versions.
	Cycles *Cycles `json:"cycles,omitempty"`
	// Mismatch describes the difference between the results of the kernel on an FPGA and of its implementation on a
	// core, for the same data. It is "" if the results are equal.
	Mismatch string `json:"mismatch,omitempty"`
	// Refined describes how runs of mappings refined ServiceRate; nil if the kernel was only measured alone.
	Refined *Refined `json:"refined,omitempty"`
	// Source identifies the source files and settings that were measured; nil in profiles of earlier versions.
	Source *Source `json:"source,omitempty"`
}

// Refinements describes the kernel's figures that were bounded, or that runs of mappings refined, with the result
// files; "" for none.
func (k *Kernel) Refinements() string {
	var list []string
	add := func(from []string, format string, args ...any) {
		list = append(list, "refined from "+strings.Join(from, ", ")+" ("+fmt.Sprintf(format, args...)+")")
	}
	if x := k.Refined; x != nil {
		add(x.From, "service time: %.3g times the service time alone", x.Factor)
	}
	if f := k.ServiceRate; f != nil && f.Bounded > 0 {
		list = append(list, fmt.Sprintf("service rate limited to %s by the caches, measured %s",
			units.Rate(f.Value), units.Rate(f.Bounded)))
	}
	for _, x := range []struct {
		name string
		f    *Figure
	}{{"co-location cost", k.CoLocationCost}, {"switch cost", k.SwitchCost}, {"receive cost", k.ReceiveCost},
		{"send cost", k.SendCost}} {
		switch {
		case x.f == nil:
		case len(x.f.Refined) > 0:
			add(x.f.Refined, "%s: %.3g ns/B", x.name, x.f.Value*1e9)
		case x.f.Bounded > 0:
			list = append(list, fmt.Sprintf("%s limited to %.3g ns/B by the cost of memory, measured %.3g ns/B", x.name,
				x.f.Value*1e9, x.f.Bounded*1e9))
		}
	}
	return strings.Join(list, "; ")
}

// Refined is the change of a service rate by runs of mappings. The interval and the number of runs of the refined rate
// come from these runs.
type Refined struct {
	From     []string   `json:"from"`   // result files of the runs
	Factor   float64    `json:"factor"` // execution time in mappings divided by the execution time alone
	Interval [2]float64 `json:"ci95"`   // 95 % interval of the factor
	Mappings int        `json:"mappings"`
}

func (r *Refined) validate(path string) []error {
	if r != nil && !(r.Factor > 0) {
		return []error{fmt.Errorf("%s.factor is %g, expected above 0", path, r.Factor)}
	}
	return nil
}

// Source contains the inputs of a kernel's figures that a user can change. Figures that were measured with other inputs
// are stale.
type Source struct {
	// Files contains the source files: first the file that the implementation names, and then its quoted includes.
	Files []SourceFile `json:"files"`
	// Flags contains the implementation's flags for the compiler and the linker or, for hardware, the top module, the
	// family and the device.
	Flags    string `json:"flags,omitempty"`
	Compiler string `json:"compiler,omitempty"` // version text of the compiler; "" for hardware
	// Config contains the value of each config of the kernel. Ports describes the inputs and outputs of the kernel.
	Config map[string]string `json:"config,omitempty"`
	Ports  string            `json:"ports,omitempty"`
	// Object is the SHA-256 of the machine code; "" for hardware.
	Object string `json:"object,omitempty"`
}

// SourceFile is one file. Path is relative to the X file that names the implementation.
type SourceFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// SomeKernels lists the labels of the first kernels of a profile, for messages.
func (p *Profile) SomeKernels() string {
	const maxNamed = 3
	var names []string
	for i := range p.Kernels {
		names = append(names, p.Kernels[i].Label())
	}
	return units.Some(names, maxNamed)
}

// Label names a kernel, and the place where it was measured, for messages.
func (k *Kernel) Label() string {
	name, at := k.Block, k.Platform
	if k.Instance != "" {
		name = k.Instance
	}
	if k.Resource != "" {
		at = k.Resource
	}
	return name + " on " + at
}

// Area is the FPGA area of a kernel.
type Area struct {
	LUT  float64 `json:"lut"`
	FF   float64 `json:"ff"`
	BRAM float64 `json:"bram"`
	DSP  float64 `json:"dsp"`
}

func (a *Area) validate(path string) error {
	if a != nil && !(a.LUT >= 0 && a.FF >= 0 && a.BRAM >= 0 && a.DSP >= 0) {
		return fmt.Errorf("%s contains a negative value, expected at least 0", path)
	}
	return nil
}

// CopiesArea is the additional area of the splitters and joiners for several copies of a kernel on an FPGA.
type CopiesArea struct {
	Fixed Area `json:"fixed"` // area that does not depend on the number of copies
	Each  Area `json:"each"`  // area for each copy
}

func (a *CopiesArea) validate(path string) error {
	if a == nil {
		return nil
	}
	return errors.Join(a.Fixed.validate(path+".fixed"), a.Each.validate(path+".each"))
}

// Link contains the measured figures of one linktype.
type Link struct {
	Linktype string `json:"linktype"`
	Link     string `json:"link,omitempty"` // set if the figures apply to one link only
	// Where is the location of a memory link: "between cores" (or ""), or "between processes on one core". No edge of
	// the model crosses a link between processes on one core.
	Where         string  `json:"where,omitempty"`
	Bandwidth     *Figure `json:"bandwidth,omitempty"`
	TransferCost  *Figure `json:"transferCost,omitempty"`
	TransferBytes *Figure `json:"transferBytes,omitempty"`
	// Latency is the delay in s of an element, without the work of the cores; nil if not measured.
	Latency *Figure `json:"latency,omitempty"`
	// Send and Receive are the costs in s/byte for the cores at the ends of an edge between hosts. SendElement and
	// ReceiveElement are the additional costs in s per element. They are nil if not measured.
	Send           *Figure `json:"send,omitempty"`
	Receive        *Figure `json:"receive,omitempty"`
	SendElement    *Figure `json:"sendElement,omitempty"`
	ReceiveElement *Figure `json:"receiveElement,omitempty"`
	// Hosts are the two hosts of a measured network.
	Hosts []string `json:"hosts,omitempty"`
	// Samples contains the data for the fit of bandwidth and transfer cost. Residual is the largest relative difference
	// between the fit and the fitted samples.
	Samples  []LinkSample `json:"samples,omitempty"`
	Residual float64      `json:"residual,omitempty"`
	// Distance is the core distance during the measurement. Far contains the figures while the cores are far apart.
	// Both are nil if unknown.
	Distance *Distance `json:"distance,omitempty"`
	Far      *LinkFar  `json:"far,omitempty"`
}

// LinkFar contains the slowdown and the additional costs of messages while two cores are far apart ([Distance]).
type LinkFar struct {
	Slowdown float64 `json:"slowdown"` // slowdown relative to the undisturbed time: the median over message sizes
	// Receive and Send are the additional costs in s/byte of the reader and the writer: the medians over messages of
	// 512 B and more.
	Receive float64 `json:"receive"`
	Send    float64 `json:"send"`
}

// LinkSample is the measurement of one message size on a link.
type LinkSample struct {
	Bytes   float64    `json:"bytes"`
	Seconds float64    `json:"seconds"` // time per message: the median over windows
	CI95    [2]float64 `json:"ci95"`
	Fitted  float64    `json:"fitted"` // fitted time per message, s
	// Corrected is the slowdown due to distant cores, which Seconds excludes: the measured time is Corrected times
	// Seconds. Corrected is 0 if Seconds is the measured time.
	Corrected float64 `json:"corrected,omitempty"`
	// LeftOut is true if the fit ignores the sample as an outlier.
	LeftOut bool `json:"leftOut,omitempty"`
	// Windows is the number of measured windows. Absurd is the number of windows that calibration ignores because their
	// rates are impossible, or far from the rates of other windows.
	Windows int `json:"windows,omitempty"`
	Absurd  int `json:"absurd,omitempty"`
}

// Absurd returns the number of ignored windows and the number of all windows, over all message sizes.
func (l *Link) Absurd() (absurd, windows int) {
	for i := range l.Samples {
		absurd, windows = absurd+l.Samples[i].Absurd, windows+l.Samples[i].Windows
	}
	return absurd, windows
}

// Instances returns the number of kernels with figures. A kernel with figures on several platforms counts once.
func (p *Profile) Instances() int {
	names := make(map[string]bool)
	for i := range p.Kernels {
		names[cmp.Or(p.Kernels[i].Instance, p.Kernels[i].Block)] = true
	}
	return len(names)
}
