package run

import (
	"time"

	"xopt/deploy/abi"
)

// virtual reports whether the run is in virtual time.
func (r *run) virtual() bool { return r.prog.Virtual }

// elapsed returns the time of the run in seconds, of this machine or virtual.
func (r *run) elapsed(now time.Time) float64 {
	if r.virtual() {
		return 1e-12 * float64(r.load64(abi.RunNow))
	}
	return now.Sub(r.begin).Seconds()
}

// limitVirtual stores the limits of a virtual run in shared memory.
func (r *run) limitVirtual() {
	if r.virtual() {
		r.store64(abi.RunLimit, uint64(r.limits.Time.Nanoseconds())*1000)
		r.store64(abi.RunFrameLength, uint64(r.limits.Frame.Nanoseconds())*1000)
	}
}
