package harness

import "xopt/calibrate"

// conditions tell how a profile was measured.
func conditions(o Options, r *Report, w calibrate.Watch) *calibrate.Conditions {
	return &calibrate.Conditions{DataSet: o.Input, Seconds: r.Seconds, Rounds: r.Rounds, Dropped: r.Dropped,
		Spins: r.Spins.Spins(), Others: w.Others(),
		Disturbed: w.Disturbed(&r.Spins)}
}
