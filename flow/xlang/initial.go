package xlang

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/units"
)

// initial describes the initial elements of an edge: e: d -> a (initial=4, values="file").
type initial struct {
	elements int
	values   string // file of the elements' values, as a path to open; "" for zeros
	pos      Pos
}

// maxInitial is the maximum number of initial elements on an edge. The buffer of the edge may need space for twice this
// number, and must fit into memory.
const maxInitial = 1 << 29

// initialForm is the hint for the syntax of initial elements.
const initialForm = `write (initial=4), or with their values (initial=4, values="file")`

// initialOf reads the initial elements in the brackets after an edge statement.
func (e *elaborator) initialOf(in *instance, s *edgeStmt, config Values, from, to endpoint) (initial, *mistake) {
	none := initial{}
	if s.Set == nil {
		return none, nil
	}
	var count, values *Value
	for i := range s.Set.Sets {
		a := &s.Set.Sets[i]
		pos := position(a.Pos)
		v, err := a.Value.eval(config)
		if err != nil {
			return none, err
		}
		into := &count
		switch a.Name {
		case "initial":
		case "values":
			into = &values
		default:
			hint := initialForm
			if near := Nearest(a.Name, []string{"initial", "values"}); near != "" {
				hint = "did you mean " + near + "?"
			}
			return none, &mistake{faults.WrongInitial, pos, "an edge has no attribute " + quote(a.Name), hint}
		}
		if *into != nil {
			return none, &mistake{faults.GivenTwice, pos, "the edge sets " + a.Name + " twice", "keep one value"}
		}
		*into = &v
	}
	switch {
	case count == nil && values == nil:
		return none, &mistake{faults.WrongInitial, position(s.Set.Pos), "the brackets of an edge are empty",
			initialForm}
	case count == nil:
		return none, &mistake{faults.WrongInitial, values.Pos, "values are given without initial elements", initialForm}
	case !count.IsNumber:
		return none, &mistake{faults.WrongInitial, count.Pos, "initial is " + quote(count.Text),
			"expected a number of " +
				"elements: " + initialForm}
	case count.Number != math.Trunc(count.Number) || count.Number < 0 || count.Number > maxInitial:
		return none, &mistake{faults.WrongInitial, count.Pos, fmt.Sprintf("an edge has %.16g initial elements",
			count.Number), fmt.Sprintf("expected a whole number from 0 to %d", maxInitial)}
	}
	if from.own != nil || to.own != nil {
		return none, &mistake{faults.WrongInitial, position(s.Set.Pos), "an edge to a port of its own block cannot " +
			"have initial elements", "state them on the edge outside block " + in.block.name + ", or on an edge " +
			"between two instances"}
	}
	out := initial{elements: int(count.Number), pos: count.Pos}
	if values != nil {
		var err *mistake
		if out.values, err = e.initialValues(values, out.elements, from.typ.bytes); err != nil {
			return none, err
		}
	}
	return out, nil
}

// initialValues finds the file with the values of initial elements, and checks its size.
func (e *elaborator) initialValues(v *Value, elements int, elementBytes float64) (string, *mistake) {
	if v.Text == "" || !v.Quoted && v.Type != "STRING" {
		return "", &mistake{faults.WrongInitial, v.Pos, "values names no file", initialForm}
	}
	path := filepath.FromSlash(v.Text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(v.Pos.File), path)
	}
	size, err := e.opt.FileSize(path)
	if irregular := (*infile.NotRegularError)(nil); errors.As(err, &irregular) {
		return "", &mistake{faults.WrongInitial, v.Pos, err.Error(), "name a regular file with the values"}
	}
	if err != nil {
		return "", &mistake{faults.WrongInitial, v.Pos,
			"cannot read the values of initial elements: " + fault.Plain(err), "the path is relative to the X file"}
	}
	if want := float64(elements) * elementBytes; float64(size) != want {
		return "", &mistake{faults.WrongInitial, v.Pos, fmt.Sprintf("%s contains %d bytes; expected %.16g bytes",
			quote(v.Text), size, want), fmt.Sprintf("the file contains the values of %s of %.16g bytes",
			units.Elements(elements), elementBytes)}
	}
	return path, nil
}

// fileSize returns the size of a regular file.
func fileSize(path string) (int64, error) {
	f, err := infile.Open(path)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	return info.Size(), f.Close()
}
