package xsim

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/hdl/rtl"
)

// Sizes of a hardware ring in records: the default if the statement has no number of entries, and the maximum.
const (
	usualRing = 1 << 10
	MaxRing   = 1 << 16
)

// traces returns a hardware ring for each signal that a tap of a run logs. Taps of the same signal share a ring.
func (p *partition) traces(ctx context.Context, cache *rtl.Cache) (list []rtl.Trace, err error) {
	opened := make(map[int]*rtl.SeenPart) // by kernel
	for i := range p.traced {
		t := &p.traced[i]
		if t.Kind != program.Probed || t.Trace == 0 {
			continue
		}
		log := ringDepth(t)
		if n := slices.Index(p.Traces, t.Probe.Text()); n >= 0 {
			list[n].LogDepth = max(list[n].LogDepth, log)
			continue
		}
		for _, s := range t.Probe.Signals() {
			if opened[s.Kernel] != nil || p.d.Mapping.Place[s.Kernel] != p.fpga.Resource {
				continue
			}
			if opened[s.Kernel], err = seePart(ctx, cache, p.d, s.Kernel); err != nil {
				return nil, err
			}
			part := p.part[s.Kernel]
			opened[s.Kernel].Show = func(x *rtl.Signal) (string, error) { return p.parts[part].Show(part, x) }
		}
		probe, err := rtl.NewProbe(t.Probe, func(k int) (int, *rtl.SeenPart, bool) {
			return p.part[k], opened[k], opened[k] != nil
		})
		if err != nil {
			return nil, program.NewInputError(fmt.Errorf("the trace of %s: %w", t.Probe.Text(), err))
		}
		p.Traces = append(p.Traces, t.Probe.Text())
		list = append(list, rtl.Trace{Probe: probe, LogDepth: log})
	}
	return list, p.ringsFit(list)
}

// ringDepth returns the binary logarithm of the number of records in a tap's ring.
func ringDepth(t *program.Tap) int {
	n := t.Ring
	if n == 0 {
		n = usualRing
	}
	return max(bits.Len(uint(min(n, MaxRing)-1)), 1)
}

// ringsFit returns an error if the rings exceed the given block RAM of the FPGA.
func (p *partition) ringsFit(list []rtl.Trace) error {
	resource := &p.d.Program.Resources[p.fpga.Resource]
	sum := 0
	for i := range list {
		sum += list[i].RecordBits() << list[i].LogDepth
	}
	maximum := int(resource.Config["bram"].Number) * rtl.BlockBits(p.fpga.Family)
	if sum > maximum && maximum > 0 {
		return program.NewInputError(faults.TracesTooLarge.Errorf("the traces need %d bits of block RAM, but %s has "+
			"only %d bits: request fewer records, as in trace(entries=100)", sum, p.fpga.Name, maximum))
	}
	return nil
}

// TracesInHardware returns the taps of a run that log signals, which an exported design records in rings. The error
// names a signal tap that the design cannot record.
func TracesInHardware(taps []program.Tap) (list []program.Tap, err error) {
	for i := range taps {
		t := &taps[i]
		switch {
		case t.Kind != program.Probed:
		case t.Trace == 0:
			return nil, faults.TraceOfSignal.Errorf("hardware can only record a trace of signal %s: write measure "+
				"trace at %s, or measure the signal in a run without --export (for states: --monitor-area)",
				t.Probe.Value.Text, t.Probe.Value.Text)
		case t.Ring > MaxRing:
			return nil, faults.TraceTooLong.Errorf("the trace of %s requests %d entries, but a ring in hardware has "+
				"at most %d entries: request fewer entries", t.Probe.Value.Text, t.Ring, MaxRing)
		default:
			list = append(list, *t)
		}
	}
	return list, nil
}
