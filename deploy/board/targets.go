package board

import (
	"context"
	"fmt"
	"math"
	"path"
	"strings"

	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/hdl/rtl"
)

// maxDMAWidth is the maximum width of a stream of Xilinx's AXI DMA, in bits.
const maxDMAWidth = 1024

// dmaWidth returns the width of a stream in the shell for DMA engines. It rounds the width up to a power of two from 8
// to 1024 bits. Larger widths do not change.
func dmaWidth(width int) int {
	for w := 8; w <= maxDMAWidth; w *= 2 {
		if w >= width {
			return w
		}
	}
	return width
}

// target is a device for which the project's Makefile has a target.
type target struct {
	Name, Part string
	shell      string // top module for synthesis
	rtl.Device
}

// The targets of a project, in the order of the Makefile.
const (
	targetICE40 = iota
	targetECP5
	targetVivado
	numTargets
)

// targetsOf returns the targets of a project. device is the iCE40 device of the target for iCE40.
func targetsOf(device string) (t [numTargets]target) {
	all := rtl.Devices()
	t[targetICE40] = target{"make ice40", "iCE40 " + device, "xopt_serial_top", all[device]}
	t[targetECP5] = target{"make ecp5", "the largest ECP5 (LFE5U-85)", "xopt_lite", all["lfe5u-85"]}
	t[targetVivado] = target{"make vivado", "its default part XC7A35T", "xopt_stream", all["xc7a35t"]}
	return t
}

// shellOf returns the shell for which the area of a design is estimated, by the family of its FPGA.
func shellOf(family string) string {
	switch family {
	case "xc7", "xcup":
		return "xopt_stream"
	case "ecp5":
		return "xopt_lite"
	}
	return "xopt_serial_top"
}

// estimate is the estimated size and speed of a design. It also contains the reasons why targets are too small.
type estimate struct {
	Area, Speed string
	refused     [numTargets]string // reasons; "" if the design may fit
}

// NoICE40 returns the reason why there is no bitstream for an iCE40; "" if there is one.
func (e *estimate) NoICE40() string { return e.refused[targetICE40] }

// NoECP5 returns the reason why there is no netlist for an ECP5; "" if there is one.
func (e *estimate) NoECP5() string { return e.refused[targetECP5] }

// NoPart returns the reason why the Vivado project has no default part; "" if it has one.
func (e *estimate) NoPart() string { return e.refused[targetVivado] }

// synthesizer returns the area of a project's shell for an FPGA family.
type synthesizer func(shell, family string) (flow.Area, error)

// synthesizerOf returns a synthesizer that runs yosys on the sources of a project in folder rtl.
func synthesizerOf(ctx context.Context, cache *rtl.Cache, out map[string]string, sources []string) synthesizer {
	return func(shell, family string) (flow.Area, error) {
		var list []rtl.SourceText
		for _, name := range append(sources[:len(sources):len(sources)], "rtl/"+shell+".v") {
			list = append(list, rtl.SourceText{Name: path.Base(name), Text: out[name]})
		}
		a, err := cache.Synthesize(ctx, rtl.ModuleOf(shell, list), family)
		if err != nil {
			return flow.Area{}, err
		}
		return flow.Area{flow.LUT: a.LUT, flow.FF: a.FF, flow.BRAM: a.BRAM, flow.DSP: a.DSP}, nil
	}
}

// unsureFactor is the maximum ratio between a design's areas in two families. If a design is smaller than a device by
// this factor, it fits, even if its area is for another family.
const unsureFactor = 4

// estimateOf returns the estimate of a design. It synthesizes for the family of another target only if the first area
// does not decide whether the design fits.
func estimateOf(ctx context.Context, r *Run, t *projectText, area synthesizer) (*estimate, error) {
	h := r.Hardware
	e := new(estimate)
	defer func() { e.Speed = speedOf(h, e.NoICE40() == "") }()
	family, shell := h.FPGA.Family, shellOf(h.FPGA.Family)
	used, err := area(shell, family)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // yosys is missing, rejects the design, or times out
		e.Area = "The area is unknown: " + plainWords(firstLine(err))
		return e, nil
	}
	var have flow.Area
	for kind := range have {
		have[kind] = r.Design.Program.Resources[h.FPGA.Resource].Config[strings.ToLower(flow.AreaKind(kind))].Number
	}
	e.Area = fmt.Sprintf("%s needs about %s for kernels, queues, taps and shell, synthesized for %s by yosys", shell,
		areaText(used, have, plainWords(h.FPGA.Name)), family)
	for i, x := range targetsOf(t.Device) {
		there := used
		switch sure, fits := compare(used, family, &x); {
		case sure && fits:
			continue
		case !sure:
			if there, err = area(x.shell, x.Family); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				continue // make reports the reason when it builds the target
			}
		}
		e.refused[i] = tooLarge(there, &x)
	}
	return e, nil
}

// speedOf describes a design's f_max.
func speedOf(h *xsim.Hardware, ice40 bool) string {
	switch {
	case h.FPGA.Given == 0:
		return fmt.Sprintf("f_max is about %.4g MHz: %s, each placed alone by nextpnr", h.Clock/1e6, h.ClockFrom)
	case ice40:
		return "f_max is unknown: make ice40 (build/ice40.report.json) and make vivado report it"
	}
	return "f_max is unknown: make vivado reports it"
}

// compare reports whether a design fits a target, given its area in a family, and whether that is certain.
func compare(used flow.Area, family string, x *target) (sure, fits bool) {
	if family == x.Family {
		return true, tooLarge(used, x) == ""
	}
	// A design needs at least as many 4-input LUTs as 6-input LUTs. A Xilinx LUT may be a shift register.
	if !strings.HasPrefix(x.Family, "xc") && (used[flow.FF] > x.Area[flow.FF] ||
		used[flow.LUT] > x.Area[flow.LUT] && strings.HasPrefix(family, "xc")) {
		return true, false
	}
	bits := used[flow.BRAM] * float64(rtl.BlockBits(family))
	fits = unsureFactor*used[flow.LUT] <= x.Area[flow.LUT] && unsureFactor*used[flow.DSP] <= x.Area[flow.DSP] &&
		unsureFactor*bits <= x.Area[flow.BRAM]*float64(rtl.BlockBits(x.Family))
	return fits, fits
}

// tooLarge returns the reason why a design does not fit a device; "" if it may.
func tooLarge(used flow.Area, x *target) string {
	for kind := range used {
		if used[kind] > x.Area[kind] {
			return fmt.Sprintf("the design needs about %.0f %s, but %s has %.0f", used[kind],
				strings.ToUpper(flow.AreaKind(kind)), x.Part, x.Area[kind])
		}
	}
	return ""
}

// areaText formats an area, with the fraction of the FPGA if its size is known.
func areaText(used, have flow.Area, fpga string) string {
	var list []string
	for kind, n := range used {
		text := fmt.Sprintf("%.6g %s", n, strings.ToUpper(flow.AreaKind(kind)))
		if have[kind] > 0 && !math.IsInf(have[kind], 1) {
			text += fmt.Sprintf(" (%.3g %% of %s)", 100*n/have[kind], fpga)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, ":")
}

// NotOffered lists the targets that the project does not support, with the reasons.
func (t *projectText) NotOffered() (list []string) {
	for i, x := range targetsOf(t.Device) {
		if reason := t.refused[i]; reason != "" && i == targetVivado {
			list = append(list, x.Name+" has no default part: "+reason)
		} else if reason != "" {
			list = append(list, x.Name+" is not offered: "+reason)
		}
	}
	return list
}

// BusBits describes the width of a stream's tdata in the shell for DMA engines.
func (s streamText) BusBits() string {
	text := fmt.Sprintf("%d bits", s.BusHigh+1)
	switch {
	case s.Padding > 0:
		text += fmt.Sprintf(", %d of them padding", s.Padding)
	case s.TooWide:
		text += ", too wide for AXI DMA: add a width converter"
	}
	return text
}
