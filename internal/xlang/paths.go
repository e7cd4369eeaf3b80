package xlang

import (
	"fmt"
	"strconv"
	"strings"
)

// pathIndex finds named things by references with indices, ranges and wildcards,
// without looking at all of them.
type pathIndex struct {
	at    map[string][]pathEntry // by the path without indices
	roots []string               // all paths, for suggestions
}

// pathEntry is one thing with the index of each segment of its path, 0 where the
// segment is no array.
type pathEntry struct {
	indices []int
	item    int
}

func newPathIndex() *pathIndex { return &pathIndex{at: make(map[string][]pathEntry)} }

// add enters an item under its name and, where prefixes is set, under everything
// that contains it.
func (p *pathIndex) add(name string, item int, prefixes bool) {
	segments := strings.Split(name, ".")
	path := ""
	var indices []int
	for i, s := range segments {
		base, rest, isArray := strings.Cut(s, "[")
		index := 0
		if isArray {
			index, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
		}
		if i > 0 {
			path += "."
		}
		path += base
		indices = append(indices, index)
		if prefixes || i == len(segments)-1 {
			if _, ok := p.at[path]; !ok && len(p.roots) < maxSuggestions {
				p.roots = append(p.roots, path)
			}
			p.at[path] = append(p.at[path], pathEntry{indices: indices[:len(indices):len(indices)], item: item})
		}
	}
}

// find returns the items that a reference means; none when the name is unknown.
func (p *pathIndex) find(e *elaborator, r *ref) ([]int, *mistake) {
	var path strings.Builder
	for i := range r.Segments {
		if i > 0 {
			path.WriteByte('.')
		}
		path.WriteString(r.Segments[i].Name)
	}
	entries := p.at[path.String()]
	if entries == nil {
		return nil, nil
	}
	if e.work += len(entries); e.work > maxReferences {
		return nil, &mistake{position(r.Pos), fmt.Sprintf("the files refer to more than %d things", maxReferences), ""}
	}
	var out []int
	ranges := make([][2]float64, len(r.Segments))
	for i := range r.Segments {
		ix := r.Segments[i].Index
		if ix == nil || ix.All {
			continue
		}
		lo, err := ix.Lo.eval(e.program.TopConfig)
		if err != nil {
			return nil, err
		}
		ranges[i] = [2]float64{lo, lo}
		if ix.Hi != nil {
			if ranges[i][1], err = ix.Hi.eval(e.program.TopConfig); err != nil {
				return nil, err
			}
		}
	}
	for _, entry := range entries {
		if matches(r, ranges, entry) {
			out = append(out, entry.item)
		}
	}
	if len(out) == 0 {
		return nil, &mistake{position(r.Pos), "nothing is named " + quote(r.String()), "arrays count from 1; what is no array takes no index"}
	}
	return out, nil
}

func matches(r *ref, ranges [][2]float64, entry pathEntry) bool {
	for i := range r.Segments {
		ix := r.Segments[i].Index
		if ix == nil {
			continue
		}
		if entry.indices[i] == 0 {
			return false // an index on what is no array
		}
		if n := float64(entry.indices[i]); !ix.All && (n < ranges[i][0] || n > ranges[i][1]) {
			return false
		}
	}
	return true
}

// indexNames enters all kernels and edges.
func (e *elaborator) indexNames() {
	for k := range e.program.Kernels {
		e.kernels.add(e.program.Kernels[k].Name, k, true)
	}
	for i := range e.program.Edges {
		if !strings.Contains(e.program.Edges[i].Name, arrow) {
			e.edges.add(e.program.Edges[i].Name, i, false)
		}
	}
}

// isUnread reports whether a name on the reference may have been declared by a
// statement that could not be read.
func (e *elaborator) isUnread(r *ref) bool {
	for i := range r.Segments {
		if e.unread[r.Segments[i].Name] {
			return true
		}
	}
	return false
}
