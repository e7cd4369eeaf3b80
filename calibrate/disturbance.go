package calibrate

import "xopt/flow/profile"

// conditions tell how a profile was measured.
func conditions(o Options, r *Report, w profile.Watch) *profile.Conditions {
	return &profile.Conditions{DataSet: o.Input, Elements: o.Elements, Seconds: r.Seconds, Rounds: r.Rounds,
		Dropped: r.Dropped, Others: w.Others(), Disturbed: w.Disturbed()}
}
