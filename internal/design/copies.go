package design

import "strings"

// copies says what is assumed of kernels that run in copies.
func (b *builder) copies() {
	var copied, keyed []string
	for k := range b.prog.Kernels {
		x := b.prog.Kernels[k].Replica
		if x == nil || x.Index > 0 {
			continue
		}
		copied = append(copied, x.Of)
		if x.Key >= 0 {
			keyed = append(keyed, x.Of)
		}
	}
	if len(copied) == 0 || b.opt.Purpose == ForDeploy {
		return
	}
	b.notef("%s in copies: dividing a stream and putting it together again is assumed to cost nothing beside "+
		"crossing to other cores", strings.Join(Ranges(copied), ", "))
	if len(keyed) > 0 {
		b.notef("keys of %s are assumed to be many and equally frequent, so that copies get the shares of their turns",
			strings.Join(Ranges(keyed), ", "))
	}
}
