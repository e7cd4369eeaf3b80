package xlang

import (
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// checkStateless checks the stateless statements of a block.
func (e *elaborator) checkStateless(b *blockDecl) {
	if len(b.stateless) == 0 {
		return
	}
	s := b.stateless[0]
	at := position(s.Pos)
	if len(b.stateless) > 1 {
		e.failf(faults.GivenTwice, position(b.stateless[1].Pos), "remove one stateless statement", "block %s is "+
			"declared stateless twice", quote(b.name))
		return
	}
	inputs := inputsOf(b)
	switch {
	case len(b.instances) > 0:
		e.failf(faults.BlockOfBlocks, at, "write stateless in the blocks of the instances", "block %s contains "+
			"instances and cannot be stateless", quote(b.name))
	case len(inputs) == 0 && s.Key != nil:
		e.failf(faults.WrongKey, at, "if the output of a firing depends only on the index of the firing, write: "+
			"stateless;",
			"block %s has no inputs that could be keys", quote(b.name))
	case s.Key != nil && inputs[s.Key.Name] == nil:
		e.failf(fault.UnknownPort, position(s.Key.Pos), didYouMean(s.Key.Name, keys(inputs)), "block %s has no input "+
			"port %s", b.name, quote(s.Key.Name))
	case s.Key != nil && !IsInteger(strings.ToUpper(inputs[s.Key.Name].Name)):
		e.failf(faults.WrongKey, position(s.Key.Pos),
			"the type of a key must be UNSIGNED8 to UNSIGNED64 or SIGNED8 to SIGNED64, or an array of these, whose "+
				"first element is the key",
			"port %s of block %s has type %s, which cannot be a key", quote(s.Key.Name), b.name,
			inputs[s.Key.Name].Name)
	}
}

// inputsOf returns the types of the input ports of a block.
func inputsOf(b *blockDecl) map[string]*typeRef {
	inputs := make(map[string]*typeRef)
	for _, s := range b.ports {
		for _, n := range s.Names {
			if s.Way == "input" {
				inputs[n.Name] = &s.Type
			}
		}
	}
	return inputs
}

// addStateless copies the stateless statement of a block to its kernel.
func (e *elaborator) addStateless(k *Kernel, in *instance) {
	if len(in.block.stateless) == 0 {
		return
	}
	s := in.block.stateless[0]
	k.Stateless = &Stateless{Key: -1}
	if s.Key == nil {
		return
	}
	k.Stateless.Key = slices.IndexFunc(k.Inputs, func(p Port) bool { return p.Name == s.Key.Name })
	if k.Stateless.Key < 0 && inputsOf(in.block)[s.Key.Name] != nil {
		e.fail(&mistake{faults.WrongKey, position(s.Key.Pos), "port " + quote(s.Key.Name) + " is an array of " +
			"ports, and cannot be the key", "declare the key as a port of its own"})
	}
}
