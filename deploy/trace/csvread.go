package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/safetext"
)

// The columns of a CSV table, by their names in the first line. The name of a time column ends with its unit.
const (
	timeColumn = iota
	kindColumn
	kernelColumn
	portColumn
	indexColumn
	bytesColumn
	edgeColumn
	originColumn
	leftColumn
	headerColumn
	columns
)

// csvColumn returns the column with the given name and, for a time, the number of its units per second; false for other
// names.
func csvColumn(name string) (column int, perSecond int64, ok bool) {
	name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
	name = strings.NewReplacer(" (", "_", ")", "", " ", "_").Replace(name)
	if unit, ok := strings.CutPrefix(name, "time_"); ok {
		perSecond, ok := map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9, "ps": 1e12}[unit]
		return timeColumn, perSecond, ok
	}
	column, ok = map[string]int{"kind": kindColumn, "kernel": kernelColumn, "port": portColumn,
		"index": indexColumn, "bytes": bytesColumn, "edge": edgeColumn,
		"xopt_origin": originColumn, "xopt_left": leftColumn, "xopt_header": headerColumn}[name]
	return column, 0, ok
}

// csvKind returns the kind with the given name; false for other names. It also accepts the names in tables of other
// programs.
func csvKind(name string) (Kind, bool) {
	switch strings.ToLower(name) {
	case "available", "avl", "arrived":
		return Available, true
	case "in", "taken":
		return In, true
	case "out", "sent":
		return Out, true
	case "point", "tpt", "testpoint":
		return Point, true
	}
	return 0, false
}

// csvReader reads a CSV table line by line.
type csvReader struct {
	name      string
	line      int
	lines     *bufio.Reader
	comma     byte
	at        [columns]int // field index of each column; -1 for none
	named     [columns]string
	width     int // number of fields in the first line
	fields    [][]byte
	long      []byte // a line longer than the buffer
	perSecond int64
	base      int64 // seconds subtracted from all times; -1 before the first event
	earliest  int64 // earliest time in ps since base
	series    seriesList
	last      []csvRow // last row of each stream, by its index
	kinds     map[string]Kind
	metadata  metadata
}

// csvRow is the last row of a stream; line 0 means none.
type csvRow struct {
	line  int
	time  int64
	index uint64
}

// longestLine is the maximum length of a line in a text file.
const longestLine = 1 << 20

// readCSV copies the events of a CSV table to a writer, and returns the table's header. name is the file name for
// errors.
func readCSV(name string, in io.Reader, to Writer) (*Header, error) {
	r := &csvReader{name: name, lines: bufio.NewReaderSize(in, 1<<16), base: -1, earliest: math.MaxInt64,
		kinds: make(map[string]Kind)}
	if err := r.head(); err != nil {
		return nil, err
	}
	list := make([]Event, 0, readAhead)
	for {
		err := r.next()
		if err == nil && len(r.fields) == 1 && len(r.fields[0]) == 0 {
			continue
		}
		if err == nil {
			var e Event
			if e, err = r.event(); err == nil {
				list = append(list, e)
			}
		}
		if err == nil && len(list) < cap(list) {
			continue
		}
		isLast := errors.Is(err, io.EOF)
		if err != nil && !isLast {
			return nil, err
		}
		if err := to.Write(list); err != nil {
			return nil, err
		}
		if list = list[:0]; isLast {
			if len(r.series.list) == 0 {
				return nil, faults.WrongTraceTable.Errorf("%s: the table has column names but no events", r.name)
			}
			h := r.metadata.of(&Header{Series: r.series.list}, name)
			if r.base > 0 {
				h.Shift = r.earliest
			}
			return h, nil
		}
	}
}

func (r *csvReader) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{r.name, r.line}, args...)...)
}

// wrongIn returns an error about a column of the current line.
func (r *csvReader) wrongIn(column int, format string, args ...any) error {
	return r.wrong("column %s: "+format, append([]any{r.named[column]}, args...)...)
}

// next reads a line and splits it into fields.
func (r *csvReader) next() error {
	line, err := r.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(r.long) <= longestLine {
			line, err = r.lines.ReadSlice('\n')
			r.long = append(r.long, line...)
		}
		line = r.long
	}
	r.line++
	switch {
	case len(line) > longestLine:
		return r.wrong("the line is longer than %d bytes: check that the file is a table of events", longestLine)
	case errors.Is(err, io.EOF) && len(line) == 0:
		return io.EOF
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("reading %s: %w", r.name, err)
	}
	return r.split(bytes.TrimRight(line, "\r\n"))
}

// split splits a line into fields.
func (r *csvReader) split(line []byte) error {
	r.fields = r.fields[:0]
	if bytes.IndexByte(line, '"') >= 0 {
		c := csv.NewReader(bytes.NewReader(line))
		c.Comma, c.FieldsPerRecord = rune(r.comma), -1
		record, err := c.Read()
		if err != nil {
			return r.wrong("the quotes of this line do not match")
		}
		for _, f := range record {
			r.fields = append(r.fields, []byte(f))
		}
		return nil
	}
	for {
		i := bytes.IndexByte(line, r.comma)
		if i < 0 {
			r.fields = append(r.fields, line)
			return nil
		}
		r.fields = append(r.fields, line[:i])
		line = line[i+1:]
	}
}

// wantHead describes the required first line of a table.
const wantHead = "expected a first line with the names of the columns: time_s (or time_ms, time_us, time_ns, " +
	"time_ps), kind, port, and optionally kernel, index, bytes and edge"

// head parses the first line.
func (r *csvReader) head() error {
	for i := range r.at {
		r.at[i] = -1
	}
	first, err := r.lines.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading %s: %w", r.name, err)
	}
	first, _, _ = bytes.Cut(first, []byte("\n"))
	r.comma = ','
	for _, c := range []byte(";\t") {
		if bytes.IndexByte(first, ',') < 0 && bytes.IndexByte(first, c) >= 0 {
			r.comma = c
		}
	}
	if err := r.next(); err != nil {
		r.line = max(r.line, 1)
		return r.wrong("the file contains no table of events: %s", wantHead)
	}
	for i, f := range r.fields {
		column, perSecond, ok := csvColumn(string(f))
		if !ok {
			if bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(f)), []byte("time")) {
				return r.wrong("the time %q has no unit: name it time_s, time_ms, time_us, time_ns or time_ps",
					safetext.Cut(string(f), 40))
			}
			continue // a column of another program
		}
		if r.at[column] >= 0 {
			return r.wrong("column %s occurs twice", safetext.Line(string(f)))
		}
		r.at[column], r.named[column] = i, safetext.Cut(strings.TrimSpace(strings.TrimPrefix(string(f), "\ufeff")), 40)
		if column == timeColumn {
			r.perSecond = perSecond
		}
	}
	r.width = len(r.fields)
	for _, c := range []int{timeColumn, kindColumn, portColumn} {
		if r.at[c] < 0 {
			return r.wrong("column %s is missing: %s", [...]string{"time_s", "kind", "kernel", "port"}[c], wantHead)
		}
	}
	return nil
}

// field returns the field of the current line in a column; nil if the column is missing.
func (r *csvReader) field(column int) []byte {
	if i := r.at[column]; i >= 0 && i < len(r.fields) {
		return r.fields[i]
	}
	return nil
}

// event creates an event from the current line.
func (r *csvReader) event() (Event, error) {
	var e Event
	if need := max(r.at[timeColumn], r.at[kindColumn], r.at[portColumn]); need >= len(r.fields) {
		return e, r.wrong("the line has %d fields, expected at least %d fields", len(r.fields), need+1)
	}
	var err error
	if e.Time, err = r.time(r.field(timeColumn)); err != nil {
		return e, err
	}
	kind, isKnown := r.kinds[string(r.field(kindColumn))]
	if !isKnown {
		text := string(r.field(kindColumn))
		if kind, isKnown = csvKind(strings.TrimSpace(text)); !isKnown {
			return e, r.wrongIn(kindColumn, "unknown kind %q of events: expected out, available, in or point%s",
				safetext.Cut(text, 40), r.moreFields())
		}
		r.kinds[text] = kind
	}
	e.Kind = kind
	e.Series, err = r.series.find(r.field(edgeColumn), r.field(kernelColumn), r.field(portColumn), kind)
	if err != nil {
		return e, r.wrong("%w", err)
	}
	if text := r.field(bytesColumn); len(text) > 0 {
		if e.Bytes, err = strconv.ParseUint(string(text), 10, 64); err != nil {
			return e, r.wrongIn(bytesColumn, "%q is not a whole number of bytes", safetext.Cut(string(text), 40))
		}
	}
	r.series.size(e.Series, e.Bytes, r.name, r.line)
	if err := r.follow(&e); err != nil {
		return e, err
	}
	return e, r.more(&e)
}

// follow assigns an index to an event, and checks that the times of its stream do not decrease.
func (r *csvReader) follow(e *Event) error {
	at := Stream{e.Series, e.Kind}.place()
	for at >= len(r.last) {
		r.last = append(r.last, csvRow{})
	}
	before := &r.last[at]
	if before.line > 0 {
		e.Index = before.index + 1
	}
	if text := r.field(indexColumn); len(text) > 0 {
		var err error
		if e.Index, err = strconv.ParseUint(string(text), 10, 64); err != nil || e.Index == math.MaxUint64 {
			return r.wrongIn(indexColumn, "%q is not a whole number of at least 0", safetext.Cut(string(text), 40))
		}
	}
	switch {
	case before.line == 0:
	case e.Time < before.time:
		return r.wrongIn(timeColumn, "%s is before the time in line %d (both lines are %s): sort the rows by time",
			safetext.Cut(string(r.field(timeColumn)), 40), before.line, r.alsoOf(e))
	case e.Index <= before.index:
		return r.wrongIn(indexColumn, "element %d comes after element %d in line %d (both lines are %s): sort the "+
			"rows by time, or omit the column", e.Index, before.index, before.line, r.alsoOf(e))
	}
	*before = csvRow{r.line, e.Time, e.Index}
	r.earliest = min(r.earliest, e.Time)
	return nil
}

// alsoOf describes the kind and the port of two rows in the wrong order.
func (r *csvReader) alsoOf(e *Event) string {
	return fmt.Sprintf("%q events of %s", e.Kind, safetext.Line(r.series.list[e.Series].Port(e.Kind).String()))
}

// moreFields describes a line with more fields than the first line; "" for other lines. If commas separate fields,
// numbers cannot contain commas.
func (r *csvReader) moreFields() string {
	if len(r.fields) <= r.width {
		return ""
	}
	text := fmt.Sprintf("; the line has %d fields, but the first line names %d columns", len(r.fields), r.width)
	if r.comma == ',' {
		text += ": write numbers with a decimal point, not a comma"
	}
	return text
}
