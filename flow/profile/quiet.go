package profile

import (
	"context"
	"time"
)

// quietLook is the interval in which AwaitQuiet measures the load: 30 ticks of Linux's processor time accounting. A
// machine is quiet after quietLooks successive intervals without a disturbance, because programs such as compilers
// pause briefly.
const (
	quietLook  = 300 * time.Millisecond
	quietLooks = 4
)

// AwaitQuiet waits until other programs no longer disturb measurements, for at most limit. It returns the last measured
// load of other programs. AwaitQuiet calls busy for every interval with a disturbance. With a limit of 0, it measures
// one interval.
func AwaitQuiet(ctx context.Context, limit time.Duration, busy func(Foreign)) Foreign {
	return awaitQuiet(limit, busy, func() (Foreign, bool) {
		w := NewWatch()
		select {
		case <-ctx.Done():
			return Foreign{}, false
		case <-time.After(quietLook):
			return w.Foreign(), true
		}
	})
}

// awaitQuiet is like AwaitQuiet, but look returns the load of each interval. If look returns false, the wait ends.
func awaitQuiet(limit time.Duration, busy func(Foreign), look func() (Foreign, bool)) Foreign {
	calm := 0
	for waited := time.Duration(0); ; waited += quietLook {
		load, ok := look()
		switch {
		case !ok || waited+quietLook >= limit:
			return load
		case load.Disturbance() != "":
			calm = 0
			busy(load)
		default:
			if calm++; calm == quietLooks {
				return load
			}
		}
	}
}
