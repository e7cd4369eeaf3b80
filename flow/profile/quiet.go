package profile

import (
	"context"
	"time"
)

// Looks of AwaitQuiet: 30 ticks of Linux's processor time accounting each. A machine is quiet after several looks in
// succession without a disturbance, because programs such as compilers pause for moments.
const (
	quietLook  = 300 * time.Millisecond
	quietLooks = 4
)

// AwaitQuiet waits until other programs disturb no measurement, at most for the given time, and returns their last
// load. It calls busy for every look that shows a disturbance. A limit of 0 looks once.
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

// awaitQuiet is AwaitQuiet with looks from a function; false ends the wait.
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
