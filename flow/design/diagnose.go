package design

import (
	"fmt"

	"xopt/flow/xlang"
)

// collector gathers faults.
type collector struct {
	faults xlang.Diagnostics
}

// errorf adds a fault at a place; the zero Pos stands for none. Those after as many as are
// told are dropped.
func (c *collector) errorf(pos xlang.Pos, format string, args ...any) *xlang.Diagnostic {
	if len(c.faults) >= xlang.MaxDiagnostics {
		return &xlang.Diagnostic{}
	}
	c.faults = append(c.faults, xlang.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return &c.faults[len(c.faults)-1]
}

// conflict adds a fault in which two places take part.
func (c *collector) conflict(pos, other xlang.Pos, hint, format string, args ...any) {
	d := c.errorf(pos, format, args...)
	d.Hint = hint
	if other != (xlang.Pos{}) {
		d.Related = &other
	}
}

// err returns the faults as an error, or nil.
func (c *collector) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}
