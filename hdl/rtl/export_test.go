package rtl

import "time"

// SetLook sets the timeout of tools that only read a source.
func (c *Cache) SetLook(d time.Duration) { c.look = d }
