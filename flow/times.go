package flow

import "xopt/queueing/times"

// Times is the measured distribution of service times, in s.
type Times = times.Distribution
