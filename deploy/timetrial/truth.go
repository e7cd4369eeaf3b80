package timetrial

// Truth is a truth value of three: a comparison with something of which there is
// no value, such as the mean of no elements, is Unknown.
type Truth int8

// The truth values.
const (
	False Truth = iota
	True
	Unknown
)

// String is the word.
func (t Truth) String() string { return [...]string{"false", "true", "unknown"}[t] }

// TruthOf is True or False.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Evaluate works out an expression from the truth of its comparisons (Kleene's
// logic: what does not depend on the unknown is known).
func (e *Expr) Evaluate(comparison func(*Expr) Truth) Truth {
	switch e.Op {
	case Not:
		switch e.Args[0].Evaluate(comparison) {
		case True:
			return False
		case False:
			return True
		}
		return Unknown
	case And, Or:
		decides := TruthOf(e.Op == Or)
		result := TruthOf(e.Op == And)
		for _, a := range e.Args {
			switch a.Evaluate(comparison) {
			case decides:
				return decides
			case Unknown:
				result = Unknown
			}
		}
		return result
	}
	return comparison(e)
}

// Compare applies the relation of a comparison.
func (e *Expr) Compare(left, right float64) Truth {
	switch {
	case left != left || right != right:
		return Unknown
	case e.Op == Less:
		return TruthOf(left < right)
	case e.Op == LessEqual:
		return TruthOf(left <= right)
	}
	return TruthOf(left == right)
}
