package maxplus

// emitter plans what the firings of a station send, where that is not always the same.
type emitter struct {
	r *Draws
}

// plan sets what the next firing of a station sends on each output.
func (st *station) plan(outs []output) {
	u := 0.0
	if st.exclusive {
		u = st.emit.r.Float64()
	}
	base := st.outs[0]
	for k := range outs {
		o := &outs[k]
		if o.like >= 0 {
			o.n = outs[o.like-base].n
			continue
		}
		o.n = o.whole
		if o.part == 0 {
			continue
		}
		switch {
		case o.rule == InTurns:
			o.sum += o.part
			if o.sum >= 1-wholeRounding {
				o.sum--
				o.n++
			}
		case st.exclusive:
			if u >= o.from && u < o.from+o.part {
				o.n++
			}
		case st.emit.r.Float64() < o.part:
			o.n++
		}
	}
}

// begin sets the sums of counts in turns, so that ports of which a firing sends on one come one
// after the other.
func (st *station) beginPlan(outs []output) {
	for k := range outs {
		o := &outs[k]
		o.sum = 0
		if st.exclusive {
			o.sum = max(0, 1-o.from-o.part)
		}
		o.n = o.whole
	}
}
