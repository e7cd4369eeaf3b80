package report

import (
	"fmt"

	"xopt/mapper/result"
)

// bottlenecks counts in how many mappings the bottleneck was predicted right.
type bottlenecks struct {
	all   int // mappings that ran
	idle  int // those in which nothing was busy enough to limit the run
	right int // of the others, those in which what was busiest was named
	one   int // of the others, those in which only one was named, and of these those in which it was right
	alone int
}

func (b *bottlenecks) add(c *result.ValidatedCase) {
	b.all++
	if c.Idle {
		b.idle++
		return
	}
	if c.Holds {
		b.right++
	}
	if len(c.Bottleneck)+len(c.Perhaps) > 1 {
		return
	}
	b.one++
	if c.Holds {
		b.alone++
	}
}

// words say in how many of all mappings the bottleneck was predicted right, in how many of those for which only one
// was named, and in how many nothing was busy enough to limit the run.
func (b *bottlenecks) words() string {
	if b.idle == b.all {
		return fmt.Sprintf("Whether the bottleneck was predicted right cannot be told: in none of %d mappings was "+
			"anything in use for 75 %% of the time, so something else limited them.", b.all)
	}
	told := b.all - b.idle
	s := fmt.Sprintf("The bottleneck was predicted right in %d of %d mappings (the predicted bottleneck was the "+
		"busiest resource, within 3 points).", b.right, told)
	if several := told - b.one; several > 0 {
		s += fmt.Sprintf(" In %d of them several were named, because their loads are alike within the intervals of "+
			"their "+
			"figures, and right is that one of these was the busiest; where only one was named, it was right in %d "+
			"of %d.",
			several, b.alone, b.one)
	}
	if b.idle > 0 {
		s += fmt.Sprintf(" In %d more it cannot be told: nothing was in use for 75 %% of the time.", b.idle)
	}
	return s
}
