package trace

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// CSVHead is the first line of a CSV table.
const CSVHead = "time_s,kind,port,index,bytes,edge\n"

// csvMetadataHead is the first line of a table with additional columns. The first row of each port and kind contains
// the number of missing events. If the kernel's times are not measured, it also contains the origin of these times. The
// first row of the table contains the header as JSON.
const csvMetadataHead = "time_s,kind,port,index,bytes,edge,xopt_origin,xopt_left,xopt_header\n"

// WriteCSV writes a table as CSV, with a row for each event in the order of time. Times are exact to the ps. Column
// port contains the full name of the event's port or testpoint. Column bytes is empty if the size is unknown. Column
// edge is empty for testpoints.
func WriteCSV(w io.Writer, t Table) error {
	r, err := t.Open()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	metadata, header := csvMetadata(t.Header())
	if metadata == nil {
		_, _ = out.WriteString(CSVHead) // the writer reports an error at Flush
	} else {
		_, _ = out.WriteString(csvMetadataHead)
	}
	series := t.Header().Series
	names := make([][2]string, 2*len(series)) // port and edge of each series, at the output and at the other end
	for i := range series {
		s := &series[i]
		names[2*i] = [2]string{csvField(s.Port(Out).String()), csvField(s.Name)}
		names[2*i+1] = [2]string{csvField(s.Port(In).String()), csvField(s.Name)}
		if s.IsPoint() {
			names[2*i+1][1] = ""
		}
	}
	var line []byte
	if err := readAll(r, func(events []Event) error {
		for i := range events {
			e := &events[i]
			at := 2*int(e.Series) + 1
			if e.Kind == Out {
				at--
			}
			line = appendSeconds(line[:0], e.Time)
			line = append(append(append(line, ','), e.Kind.String()...), ',')
			line = append(append(line, names[at][0]...), ',')
			line = append(strconv.AppendUint(line, e.Index, 10), ',')
			if e.Bytes > 0 {
				line = strconv.AppendUint(line, e.Bytes, 10)
			}
			line = append(append(line, ','), names[at][1]...)
			if metadata != nil {
				s := Stream{e.Series, e.Kind}
				text, ok := metadata[s]
				if !ok {
					text = ",,"
				}
				line = append(append(append(line, text...), ','), header...)
				header = ""
				delete(metadata, s)
			}
			line = append(line, '\n')
			_, _ = out.Write(line)
		}
		return nil
	}); err != nil {
		return err
	}
	return out.Flush()
}

// appendSeconds appends an exact time in seconds.
func appendSeconds(b []byte, ps int64) []byte {
	b = strconv.AppendInt(b, ps/PerSecond, 10)
	rest := ps % PerSecond
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for unit := int64(PerSecond / 10); rest > 0; unit /= 10 {
		b = append(b, byte('0'+rest/unit))
		rest %= unit
	}
	return b
}

// csvField returns a text as a field, in quotes if necessary.
func csvField(s string) string {
	if strings.ContainsAny(s, "\",\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
