package calibrate

import "xopt/flow/profile"

// conditions describes how a profile was measured.
func conditions(o Options, r *Report, w profile.Watch) *profile.Conditions {
	load := w.Foreign()
	return &profile.Conditions{DataSet: o.Input, Elements: o.Elements, Seconds: r.Seconds, Rounds: r.Rounds,
		Dropped: r.Dropped, Others: load.Processors(), Disturbed: load.Text}
}
