package run

import (
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
)

// stillness measures the time without progress.
type stillness struct {
	r       *run
	last    uint64
	since   time.Time
	looked  time.Time
	calls   []uint64 // counts of calls, half a stall limit after the last progress
	counted bool
	// moved and clock are the virtual time in ps at the last progress and at the last sample.
	moved, clock uint64
	// kept is the time, since the last progress, for which a process could not run.
	kept   time.Duration
	use    func(time.Time) processorUse
	before *processorUse // the last reading of the processor use; nil for none
}

// quietCycles is the number of cycles without progress that each FPGA of a running simulation may have. A chain of
// kernels may drain slowly on a busy machine.
const quietCycles = 100 * program.DrainCycles

// notLooked limits the effect of a gap between two samples: the gap counts as at most 1/notLooked of the stall limit.
const notLooked = 10

// maxStalls is the number of stall limits within which processes must start before kernels run, because Linux may read
// programs slowly from a busy disk. It also limits the time without progress if processes wait for a processor.
const maxStalls = 6

// drains reports whether a virtual run still advances, so that its FPGAs may still detect their end. A kernel's turn
// that Linux interrupted is also long in virtual time, and FPGAs simulate all of its cycles. Quiet cycles count only
// after such a turn.
func (s *stillness) drains() bool {
	if !s.r.virtual() {
		return false
	}
	before := s.clock
	s.clock = s.r.load64(abi.RunNow)
	period := 0.0
	for i := range s.r.prog.FPGAs {
		period = max(period, s.r.prog.FPGAs[i].Period)
	}
	quiet := since(s.clock, max(s.moved, s.r.load64(abi.RunSettled)))
	return s.clock != before && 1e-12*float64(quiet) < quietCycles*period
}

// look returns a failure when nothing has moved for the stall limit. It excludes time in which processes could not run,
// up to maxStalls stall limits.
func (s *stillness) look(now time.Time, stall time.Duration) *Failure {
	drains := s.drains()
	// A long time without a sample means that the machine was stopped or very busy. The kernels then did not run
	// either.
	if maximum := stall / notLooked; !s.looked.IsZero() && now.Sub(s.looked) > maximum {
		s.since = s.since.Add(now.Sub(s.looked) - maximum)
	}
	s.looked = now
	p := s.r.progress()
	if p != s.last {
		s.last, s.moved = p, s.clock
	} else if !drains {
		return s.lookStill(now, stall)
	}
	s.since, s.counted, s.kept, s.before = now, false, 0, nil
	return nil
}

// lookStill handles a sample without progress since the previous sample.
func (s *stillness) lookStill(now time.Time, stall time.Duration) *Failure {
	still := now.Sub(s.since)
	if s.r.starting() {
		if limit := maxStalls * stall; still > limit {
			return s.r.notStarted(limit)
		}
		return nil
	}
	if s.before == nil && still > stall/notLooked {
		use := s.use(now)
		s.before = &use
	}
	if longest := still > maxStalls*stall; longest || still-s.kept > stall {
		use := s.use(now)
		kept, process := s.r.keptFrom(s.before, &use)
		s.kept += kept
		s.before = &use
		if still-s.kept > stall {
			return s.r.stalled(stall, s.calls)
		}
		if longest {
			return s.r.keptStill(still, s.kept, process)
		}
	}
	if !s.counted && still > stall/2 {
		s.counted = true
		for k := range s.calls {
			s.calls[k] = s.r.calls(k)
		}
	}
	return nil
}

// unreturned names the kernels that are in a call if nothing has moved for half of the run.
func (s *stillness) unreturned(now time.Time) (list []string) {
	if 2*now.Sub(s.since) < now.Sub(s.r.started) || s.r.virtual() {
		return nil
	}
	for i := range s.r.prog.Processes {
		if k := s.r.kernelIn(i); k >= 0 {
			list = append(list, s.r.sourceText(k)+" has not returned, after "+s.r.lastProgress(k))
		}
	}
	return list
}
