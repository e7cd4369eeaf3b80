package trace

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"xopt/internal/safetext"
)

// Foreign formats have no fields for the origin of a kernel's times, and for the number of a port's missing events. A
// CSV table has additional columns for these data. A .ts file has header lines that X-Sim ignores as comments. Tables
// of other programs have neither, and count as measured and complete.

// The lines of a .ts header.
const (
	originKey = "origin"
	leftKey   = "left"
)

// metadata collects the data that foreign formats cannot store, while a table is read.
type metadata struct {
	header  csvHeader
	origins []Origin
	listed  map[string]bool // kernels of origins
	left    []Left
}

// csvHeader is the part of a Header that the first row of a CSV table contains as JSON.
type csvHeader struct {
	Application string
	Origin      string  `json:",omitempty"`
	Command     string  `json:",omitempty"`
	Tool        string  `json:",omitempty"`
	Seconds     float64 `json:",omitempty"`
}

// origin records the origin of a kernel's times; "" means none.
func (s *metadata) origin(kernel, origin string) {
	if origin == "" || s.listed[kernel] {
		return
	}
	if s.listed == nil {
		s.listed = make(map[string]bool)
	}
	s.listed[kernel] = true
	s.origins = append(s.origins, Origin{kernel, origin})
}

// events records the number of missing events of a stream. words is this number as text; "" for none. It returns false
// if words is not a number.
func (s *metadata) events(stream Stream, words string) bool {
	if words == "" {
		return true
	}
	n, err := strconv.ParseUint(words, 10, 48)
	if err != nil {
		return false
	}
	if n > 0 {
		s.left = append(s.left, Left{stream, n})
	}
	return true
}

// of completes the header of a foreign table with the given name.
func (s *metadata) of(h *Header, name string) *Header {
	h.Origins, h.Left = s.origins, s.left
	var words []string
	for i := range s.origins {
		words = append(words, OriginWord(s.origins[i].Origin))
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) == 0 {
		words = []string{"measured"}
	}
	h.Origin = strings.Join(words, " and ") + " elsewhere: " + name
	if x := &s.header; x.Application != "" {
		h.Application, h.Command, h.Tool, h.Seconds = x.Application, x.Command, x.Tool, x.Seconds
		h.Origin = cmp.Or(x.Origin, h.Origin)
	}
	return h
}

// notMeasured returns an origin for other formats: "" for measured times.
func notMeasured(of string) string {
	if word := OriginWord(of); word == "measured" || word == "" {
		return ""
	}
	return safetext.Line(of)
}

// lacks returns the number of a stream's events that are missing in the table.
func (h *Header) lacks(s Stream) (n uint64) {
	for _, l := range h.Left {
		if l.Stream == s {
			n += l.Events
		}
	}
	return n
}

// csvMetadata returns two additional fields for the first row of each stream, and the header as a third field of the
// table's first row. The map is nil if there is nothing to write.
func csvMetadata(h *Header) (rows map[Stream]string, header string) {
	rows, any := make(map[Stream]string), h.Application != ""
	lacks, originOf := make(map[Stream]uint64), h.OriginsByKernel()
	for _, l := range h.Left {
		lacks[l.Stream] += l.Events
	}
	for _, s := range all(h.Series) {
		origin, left := notMeasured(originOf(h.Series[s.Series].Port(s.Kind).Kernel)), ""
		if n := lacks[s]; n > 0 {
			left = strconv.FormatUint(n, 10)
		}
		any = any || origin != "" || left != ""
		rows[s] = "," + csvField(origin) + "," + left
	}
	if !any {
		return nil, ""
	}
	if h.Application != "" {
		text, err := json.Marshal(csvHeader{h.Application, h.Origin, h.Command, h.Tool, h.Seconds})
		if err == nil { // an infinite or NaN length has no JSON form
			header = csvField(string(text))
		}
	}
	return rows, header
}

// more reads the columns of a row that describe the trace.
func (r *csvReader) more(e *Event) error {
	if text := r.field(originColumn); len(text) > 0 {
		r.metadata.origin(r.series.list[e.Series].Port(e.Kind).Kernel, string(text))
	}
	if text := r.field(headerColumn); len(text) > 0 {
		x := &r.metadata.header
		if err := json.Unmarshal(text, x); err != nil || !(x.Seconds >= 0 && x.Seconds <= Longest) {
			return r.wrong("xopt_header %q is not the header of a trace", safetext.Cut(string(text), 40))
		}
	}
	if text := r.field(leftColumn); len(text) > 0 && !r.metadata.events(Stream{e.Series, e.Kind}, string(text)) {
		return r.wrong("xopt_left is %q, expected the number of missing events of the port", safetext.Cut(string(text),
			40))
	}
	return nil
}

// tsLines returns the additional header lines of a file with the given streams.
func tsLines(h *Header, streams []Stream) map[string]string {
	lines := elementLine(h, streams)
	put := func(key, value string) {
		if lines == nil {
			lines = make(map[string]string)
		}
		lines[key] = value
	}
	if text := notMeasured(h.OriginOf(h.Series[streams[0].Series].Port(streams[0].Kind).Kernel)); text != "" {
		put(originKey, text)
	}
	left := uint64(0)
	for _, s := range streams {
		left += h.lacks(s)
	}
	if left > 0 {
		put(leftKey, strconv.FormatUint(left, 10))
	}
	return lines
}
