package maxplus

import "math"

// clock contains the next event of every server, pipe and timer, in a tournament tree by time.
type clock struct {
	leaves int // a power of 2
	min    []float64
}

func newClock(entities int) clock {
	c := clock{leaves: 1}
	for c.leaves < entities {
		c.leaves *= 2
	}
	c.min = make([]float64, 2*c.leaves)
	c.reset()
	return c
}

func (c *clock) reset() {
	for i := range c.min {
		c.min[i] = math.Inf(1)
	}
}

// set sets the time of an entity's next event; +Inf for none.
func (c *clock) set(entity int32, t float64) {
	tree := c.min
	i := c.leaves + int(entity)
	tree[i] = t
	for i > 1 {
		other := tree[i^1]
		if other < t {
			t = other
		}
		i >>= 1
		if tree[i] == t {
			return
		}
		tree[i] = t
	}
}

// next returns the entity with the next event, and its time.
func (c *clock) next() (int32, float64) {
	tree := c.min
	t := tree[1]
	i := 1
	for i < c.leaves {
		i *= 2
		if tree[i] != t {
			i++
		}
	}
	return int32(i - c.leaves), t
}
