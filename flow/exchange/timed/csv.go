package timed

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/faults"
	"xopt/flow/profile"
)

// These are the columns of the two tables that a CSV file can contain.
const (
	timeColumns = "kernel,resource,seconds_per_firing,interval"
	itemColumns = "kernel,port,items_per_firing"
)

// maxRows limits the memory that a file can use.
const maxRows = 1_000_000

// MinSeconds and MaxSeconds limit times other than 0, in s. Within these limits, every service rate is valid in X.
const (
	MinSeconds = 1e-12
	MaxSeconds = 1e9
)

// IsTime reports whether X accepts a time in seconds.
func IsTime(seconds float64) bool {
	return seconds == 0 || seconds >= MinSeconds && seconds <= MaxSeconds
}

// table reads the rows of a CSV file.
type table struct {
	name    string
	rows    *csv.Reader
	columns []string
	row     []string
}

// place returns the file and the line of the current row, as file:line.
func (t *table) place() string {
	line, _ := t.rows.FieldPos(0)
	return fmt.Sprintf("%s:%d", t.name, line)
}

// cell returns the text in a column; "" if the table has no such column.
func (t *table) cell(column string) string {
	if i := slices.Index(t.columns, column); i >= 0 {
		return t.row[i]
	}
	return ""
}

// next reads a row. It returns false at the end of the file.
func (t *table) next() (bool, error) {
	row, err := t.rows.Read()
	var syntax *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case errors.As(err, &syntax):
		return false, faults.WrongImportedTimes.Errorf("%s:%d: %w (expected %s)", t.name, syntax.Line, syntax.Err,
			timeColumns)
	case err != nil:
		return false, fmt.Errorf("cannot read %s: %w", t.name, err)
	}
	for i := range row {
		row[i] = strings.TrimSpace(strings.TrimPrefix(row[i], "\ufeff"))
	}
	t.row = row
	return true, nil
}

// ReadCSV adds a table of times or of element counts. The first line names the columns. Times replace times from
// earlier files, and element counts replace rates of the graph.
func (g *Graph) ReadCSV(name string, r io.Reader) error {
	t := &table{name: name, rows: csv.NewReader(r)}
	t.rows.Comment = '#'
	ok, err := t.next()
	if err != nil {
		return err
	}
	if !ok {
		return faults.WrongImportedTimes.Errorf("%s is empty, expected %s", name, timeColumns)
	}
	t.columns = slices.Clone(t.row)
	header := strings.Join(t.columns, ",")
	read := g.readTime
	switch header {
	case timeColumns, strings.TrimSuffix(timeColumns, ",interval"):
	case itemColumns:
		read = g.readItems
	default:
		return faults.WrongImportedTimes.Errorf("%s: the columns are %.100q, expected %s or %s", t.place(), header,
			timeColumns,
			itemColumns)
	}
	seen := make(map[[2]string]string)
	for n := 0; ; n++ {
		switch ok, err := t.next(); {
		case err != nil:
			return err
		case !ok:
			return nil
		case n == maxRows:
			return faults.WrongImportedTimes.Errorf("%s has more than %d rows", name, maxRows)
		}
		key := [2]string{t.row[0], t.row[1]}
		if first, ok := seen[key]; ok {
			return faults.WrongImportedTimes.Errorf("%s: %.60s and %.60s are already on line %s (delete one of the "+
				"lines)",
				t.place(), key[0], key[1], strings.TrimPrefix(first, name+":"))
		}
		seen[key] = t.place()
		k, err := g.Kernel(t.place(), t.row[0])
		if err != nil {
			return err
		}
		if err := read(t, k); err != nil {
			return err
		}
	}
}

func (g *Graph) readTime(t *table, k int) error {
	number := func(column string) (float64, error) {
		text := t.cell(column)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !IsTime(v) {
			return 0, faults.WrongImportedTimes.Errorf("%s: %s is %.60q, expected 0, or seconds from %g to %g without "+
				"a unit", t.place(), column, text, MinSeconds, MaxSeconds)
		}
		return v, nil
	}
	resource := t.cell("resource")
	if resource == "" || len(resource) > maxName {
		return faults.WrongImportedTimes.Errorf("%s: the resource is %.60q, expected a name of at most %d characters",
			t.place(), resource, maxName)
	}
	seconds, err := number("seconds_per_firing")
	if err != nil {
		return err
	}
	half := 0.0
	if t.cell("interval") != "" {
		if half, err = number("interval"); err != nil {
			return err
		}
		if half > 0 && half >= profile.WidestHalf*seconds {
			return faults.WrongImportedTimes.Errorf("%s: interval is %g s, expected half of a 95 %% confidence "+
				"interval, less than %g times seconds_per_firing (measure more firings, or leave it empty)", t.place(),
				half, profile.WidestHalf)
		}
	}
	g.Resource(resource)
	g.Kernels[k].Times[resource] = Time{Seconds: seconds, Half: half, SCV: math.NaN(),
		From: Imported("measured", t.name)}
	return nil
}

const maxName = 200

// readItems sets the number of elements of a firing on a port. If the DOT file names no port, the column port contains
// the kernel at the other end of the edge.
func (g *Graph) readItems(t *table, k int) error {
	port, text := t.cell("port"), t.cell("items_per_firing")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > maxRate {
		return faults.WrongImportedTimes.Errorf("%s: items_per_firing is %.60q, expected a whole number from 1 to %d "+
			"(for a "+
			"fraction such as 0.5, state 1 here and 2 at the other end)", t.place(), text, maxRate)
	}
	found := false
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.From == k && (e.FromPort == port || g.Kernels[e.To].Name == port) {
			e.Emits, found = n, true
		}
		if e.To == k && (e.ToPort == port || g.Kernels[e.From].Name == port) {
			e.Consumes, found = n, true
		}
	}
	if !found {
		return faults.UnknownName.Errorf("%s: kernel %s has neither a port %.60q nor an edge to a kernel with "+
			"that name", t.place(), t.row[0], port)
	}
	return nil
}
