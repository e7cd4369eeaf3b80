package goodtime

import "slices"

// The host of a virtual machine, or the processor itself, changes the clock of a core in phases of minutes, by a
// tenth and more, while the counter of time goes on as before. All that works in the core takes longer by the same
// factor, and a calibration may lie in one phase as a whole, so that its windows cannot tell how a kernel follows
// the clock. But that is known: a kernel that works in its core follows it wholly. The dependent chain does
// nothing else, so it tells the clock; the other faces are looked at relatively to it, and what a kernel follows
// less than wholly, because it waits for memory, is fitted as the sensitivity to a clock that is faster.

// chain is the place of the face that tells the clock.
func chain() int { return slices.Index(FaceNames(), "chain") }

// ByClock splits what each face took, as a logarithm over what it takes in good time, into what the clock makes of all
// that works in a core, and what is left: of each face, how much slower than the clock it was, and in place of the
// chain, how much faster the clock was. It is nothing where faces are not those of the reference.
func ByClock(slow []float64) (clock float64, left []float64) {
	if len(slow) != len(FaceNames()) {
		return 0, slow
	}
	clock = slow[chain()]
	left = make([]float64, len(slow))
	for j, x := range slow {
		left[j] = x - clock
	}
	left[chain()] = -clock
	return clock, left
}

// OfFaces are the sensitivities, to each face as it is, of a cost that follows the clock and, as fitted, what
// [ByClock] leaves: the chain has what is not the others' of the clock's 1.
func OfFaces(fitted []float64) []float64 {
	if len(fitted) != len(FaceNames()) {
		return fitted
	}
	out, rest := slices.Clone(fitted), 1.0
	for _, b := range fitted {
		rest -= b
	}
	out[chain()] = rest
	return out
}
