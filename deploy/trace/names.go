package trace

import (
	"path"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// extensions contains the suffixes in the names of a stream's files, by kind of event (Gayen 2008 §3.3.1).
var extensions = [kinds]string{"avl", "in", "out", "tpt"}

// fileRune returns the replacement of a rune of a full name in a file name. It is "_" for ".", "[" and "]" (Gayen 2008
// Fig. 3.18), and for runes that are unsuitable for file names.
func fileRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
		return r
	}
	return '_'
}

// FileName returns the name of the .ts file for a kind of events at a port or testpoint, as in the thesis:
// "top_gen1_y0_out.ts", "top_gen1_src_tpt.ts".
func FileName(p Port, k Kind) string { return fileBase(p, k) + ".ts" }

func fileBase(p Port, k Kind) string {
	return strings.Map(fileRune, p.String()) + "_" + extensions[min(k, kinds-1)]
}

// Port returns the port of a series for a kind of events: the writer's port for Out, and the reader's port for
// Available and In.
func (s *Series) Port(k Kind) Port {
	switch {
	case s.IsPoint():
		return s.Point
	case k == Out:
		return s.From
	}
	return s.To
}

// Has reports whether the series can have events of a kind.
func (s *Series) Has(k Kind) bool { return s.IsPoint() == (k == Point) && k < kinds }

// At returns the streams for a kind of events at a port or testpoint. A port that reads several edges has several
// streams. If an output feeds several edges, At returns only the stream of its first edge, because each element is sent
// once.
func (h *Header) At(p Port, k Kind) []Stream {
	var list []Stream
	for i := range h.Series {
		if s := &h.Series[i]; s.Has(k) && s.Port(k) == p {
			list = append(list, Stream{int32(i), k})
			if k == Out {
				break
			}
		}
	}
	return list
}

// Find returns the streams of a file name as in the thesis, "top_gen1_y0_out.ts", with or without folders. The error
// wraps ErrName and names the first possible files.
func (h *Header) Find(file string) ([]Stream, error) {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	var near []string
	for i := range h.Series {
		s := &h.Series[i]
		for k := range kinds {
			if !s.Has(k) {
				continue
			}
			p := s.Port(k)
			if p == (Port{}) {
				continue // read from a folder, whose files do not identify both ends of edges
			}
			if FileName(p, k) == name {
				return h.At(p, k), nil
			}
			near = append(near, FileName(p, k))
		}
	}
	slices.Sort(near)
	const shown = 6
	return nil, faults.NotInTrace.Errorf("%w: the trace has no events of %s, only of %s", ErrName, name,
		strings.Join(units.First(slices.Compact(near), shown, "and %d more"), ", "))
}

// all returns every stream that a table with the given series can have, in the order for simultaneous events.
func all(series []Series) []Stream {
	var list []Stream
	for i := range series {
		for _, k := range [...]Kind{Out, Available, In, Point} {
			if series[i].Has(k) {
				list = append(list, Stream{int32(i), k})
			}
		}
	}
	return list
}
