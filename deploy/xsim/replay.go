package xsim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/mapper/result"
)

// MaxRecorded is the maximum number of replayed times of a kernel.
const MaxRecorded = 1 << 20

// Recorded returns the times of each kernel's firings in a run with logged firings, in ps and in order, for
// Options.Times. Firings that were released together share their time equally. The start of the first firing is
// unknown, so it has the time of the second firing.
func Recorded(p *xlang.Program, m *result.Measured) ([][]uint64, error) {
	var errs []error
	times := make([][]uint64, len(p.Kernels))
	for k := range p.Kernels {
		name := p.Kernels[k].Name
		x, err := kernelIn(m, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		log := x.Log
		if len(log) == 0 {
			if x.Firings == 1 { // the start of its only firing is not recorded
				times[k] = []uint64{uint64(math.Round(1e12 * max(0, x.ServiceTime)))}
			} else if x.Firings > 0 {
				errs = append(errs, faults.NoFirings.Errorf("the record has no firings of kernel %s: deploy with "+
					"--log %d -o FILE", name, min(x.Firings, MaxRecorded)))
			}
			continue
		}
		for i := range log {
			if s := log[i].Value; !(s >= 0) || s > maxFiring {
				errs = append(errs, fmt.Errorf("firing %d of kernel %s has the invalid service time %g s", log[i].Index,
					name, s))
				break
			}
		}
		times[k] = firings(log)
	}
	return times, errors.Join(errs...)
}

// kernelIn returns a kernel of a recorded run.
func kernelIn(m *result.Measured, name string) (*result.MeasuredKernel, error) {
	i := slices.IndexFunc(m.Kernels, func(x result.MeasuredKernel) bool { return x.Kernel == name })
	if i < 0 {
		return nil, faults.OtherApplication.Errorf("the record has no kernel %s: it belongs to another application",
			name)
	}
	return &m.Kernels[i], nil
}

// Scaled scales the times of each kernel to its mean service time in another run of the same mapping without logs. The
// scaling is necessary because recorded times include the time of recording. The order of times and their relative
// variation do not change.
func Scaled(p *xlang.Program, times [][]uint64, plain *result.Measured) ([][]uint64, error) {
	out := make([][]uint64, len(times))
	for k := range times {
		x, err := kernelIn(plain, p.Kernels[k].Name)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for _, t := range times[k] {
			sum += float64(t)
		}
		mean := 1e12 * x.ServiceTime
		if sum == 0 || mean == 0 {
			out[k] = times[k]
			continue
		}
		factor := mean / (sum / float64(len(times[k])))
		for _, t := range times[k] {
			out[k] = append(out[k], uint64(math.Round(factor*float64(t))))
		}
	}
	return out, nil
}

// maxFiring is the maximum duration of a firing in s, because virtual time is a 64-bit number of ps.
const maxFiring = 1e6

// firings returns the times of a log, with a separate time for each of several firings released together. If indices do
// not increase, as in the log of separately counted ports of a kernel on an FPGA, it returns the log's times unchanged.
func firings(log []result.Logged) (times []uint64) {
	rises := true
	for i := 1; i < len(log); i++ {
		rises = rises && log[i].Index > log[i-1].Index
	}
	next := uint64(0)
	for i := range log {
		n := uint64(1)
		if rises {
			n = log[i].Index + 1 - next
			next = log[i].Index + 1
		}
		ps := uint64(math.Round(1e12 * log[i].Value))
		for range min(n, MaxRecorded-uint64(len(times))) {
			times = append(times, ps)
		}
	}
	return times
}
