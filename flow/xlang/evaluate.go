package xlang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// elementBytes returns the size in bytes of an element type, given its name in upper or lower case.
func elementBytes(name string) (float64, bool) {
	switch strings.ToUpper(name) {
	case "UNSIGNED8", "SIGNED8", "STRING":
		return 1, true
	case "UNSIGNED16", "SIGNED16":
		return 2, true
	case "UNSIGNED32", "SIGNED32", "FLOAT32":
		return 4, true
	case "UNSIGNED64", "SIGNED64", "FLOAT64":
		return 8, true
	case "FLOAT128":
		return 16, true
	}
	return 0, false
}

func elementTypes() []string {
	return []string{"UNSIGNED8", "UNSIGNED16", "UNSIGNED32", "UNSIGNED64", "SIGNED8", "SIGNED16", "SIGNED32",
		"SIGNED64", "FLOAT32", "FLOAT64", "FLOAT128", "STRING"}
}

// mistake is an error with its position.
type mistake struct {
	id            fault.ID
	pos           Pos
	message, hint string
}

func (m *mistake) Error() string { return m.message }

// eval evaluates an expression with the values of configs in env.
func (e *expr) eval(env Values) (float64, *mistake) {
	sum, err := e.Head.eval(env)
	if err != nil {
		return 0, err
	}
	for _, t := range e.Tail {
		v, err := t.Term.eval(env)
		if err != nil {
			return 0, err
		}
		if t.Op == "-" {
			v = -v
		}
		sum += v
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return 0, &mistake{faults.WrongConfigValue, position(e.Pos), "the value of the expression is not finite",
			"use smaller numbers"}
	}
	return sum, nil
}

func (t *term) eval(env Values) (float64, *mistake) {
	product, err := t.Head.eval(env)
	if err != nil {
		return 0, err
	}
	for _, f := range t.Tail {
		v, err := f.Factor.eval(env)
		if err != nil {
			return 0, err
		}
		if f.Op == "/" {
			if v == 0 {
				return 0, &mistake{faults.WrongConfigValue, position(f.Factor.Pos), "the expression divides by zero",
					"use a divisor other than 0"}
			}
			v = 1 / v
		}
		product *= v
	}
	return product, nil
}

func (f *factor) eval(env Values) (v float64, err *mistake) {
	switch {
	case f.Number != nil:
		v, _ = strconv.ParseFloat(*f.Number, 64)
	case f.Sub != nil:
		v, err = f.Sub.eval(env)
	default:
		c, ok := env[*f.Name]
		switch {
		case !ok:
			err = &mistake{faults.UnknownConfig, position(f.Pos), "config " + *f.Name + " is not declared here",
				didYouMean(*f.Name, keys(env))}
		case !c.IsNumber:
			err = &mistake{faults.WrongConfigValue, position(f.Pos), "config " + *f.Name + " is " + quote(c.Text) +
				", not a number", "an expression needs numbers: set the config to a number"}
		default:
			v = c.Number
		}
	}
	if f.Negative {
		v = -v
	}
	return v, err
}

// word returns the word of an expression that consists of a single word, or false for another expression.
func (e *expr) word() (string, bool) {
	if len(e.Tail) == 0 && len(e.Head.Tail) == 0 && e.Head.Head.Name != nil && !e.Head.Head.Negative {
		return *e.Head.Head.Name, true
	}
	return "", false
}

// eval evaluates a value. A word that does not name a config is text.
func (v *value) eval(env Values) (Value, *mistake) {
	pos := position(v.Pos)
	if v.List != nil {
		return Value{}, &mistake{faults.ListNotAllowed, pos, "a list of values is only allowed for the elements of " +
			"an array", "write one value"}
	}
	if v.Text != nil {
		text := strings.Trim(*v.Text, `"`)
		out := Value{Text: text, Pos: pos, Quoted: true}
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			out.Number, out.IsNumber = n, true
		}
		return out, nil
	}
	if w, ok := v.Expr.word(); ok {
		if c, ok := env[w]; ok {
			c.Pos = pos
			return c, nil
		}
		return Value{Text: w, Pos: pos}, nil
	}
	n, err := v.Expr.eval(env)
	if err != nil {
		return Value{}, err
	}
	return Value{Text: strconv.FormatFloat(n, 'g', -1, 64), Number: n, IsNumber: true, Pos: pos}, nil
}

// count evaluates the size of an array.
func (e *expr) count(env Values, what string) (int, *mistake) {
	n, err := e.eval(env)
	if err != nil {
		return 0, err
	}
	if n != math.Trunc(n) || n < 1 || n > maxArray {
		return 0, &mistake{faults.WrongConfigValue, position(e.Pos), fmt.Sprintf("%s has size %g", what, n),
			fmt.Sprintf("expected a whole number from 1 to %d", maxArray)}
	}
	return int(n), nil
}

// portType is an element type with its size.
type portType struct {
	name  string // "FLOAT32[1000]", in upper case
	bytes float64
}

func (t *typeRef) resolve(env Values) (portType, *mistake) {
	bytes, ok := elementBytes(t.Name)
	if !ok {
		return portType{}, &mistake{faults.UnknownType, position(t.Pos), "unknown type " + quote(t.Name),
			didYouMean(t.Name, elementTypes())}
	}
	p := portType{name: strings.ToUpper(t.Name), bytes: bytes}
	if t.Size != nil {
		n, err := t.Size.eval(env)
		if err != nil {
			return portType{}, err
		}
		if n != math.Trunc(n) || n < 1 || n > 1<<40 {
			return portType{}, &mistake{faults.WrongConfigValue, position(t.Size.Pos), fmt.Sprintf("an element has %g "+
				"members", n), "expected a whole number of at least 1"}
		}
		p.bytes *= n
		p.name += "[" + strconv.FormatFloat(n, 'f', -1, 64) + "]"
	}
	return p, nil
}
