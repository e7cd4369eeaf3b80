package xlang

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// pathIndex finds items by references with indices, ranges and wildcards, without a search through all items.
type pathIndex struct {
	at    map[string]*pathEntries // by the path without indices
	roots []string                // all paths, for suggestions
}

// pathEntries contains all items of one path in insertion order. The elaborator creates the elements of an array in
// order, so that indices ascend.
type pathEntries struct {
	list     []pathEntry
	unsorted bool // the indices do not ascend
}

// pathEntry is one item with the index of each segment of its path; 0 for a segment that is not an array.
type pathEntry struct {
	indices []int
	item    int
}

func newPathIndex() *pathIndex { return &pathIndex{at: make(map[string]*pathEntries)} }

// add adds an item under its name and, if prefixes is true, under the names of the blocks that contain the item.
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
			entries := p.at[path]
			if entries == nil {
				entries = &pathEntries{}
				p.at[path] = entries
				if len(p.roots) < maxSuggestions {
					p.roots = append(p.roots, path)
				}
			}
			entry := pathEntry{indices: indices[:len(indices):len(indices)], item: item}
			if n := len(entries.list); n > 0 && slices.Compare(entries.list[n-1].indices, entry.indices) > 0 {
				entries.unsorted = true
			}
			entries.list = append(entries.list, entry)
		}
	}
}

// find returns the items that a reference matches; none if the name is unknown.
func (p *pathIndex) find(e *elaborator, r *ref) ([]int, *mistake) {
	paths := p.paths(r)
	if len(paths) == 0 {
		return nil, nil
	}
	ranges := make([]indexRange, len(r.Segments))
	for i := range r.Segments {
		ranges[i] = indexRange{min: 0, max: maxArray}
		ix := r.Segments[i].Index
		if ix == nil {
			continue
		}
		ranges[i].min = 1 // an index or [*] does not match a single item, which has index 0
		if ix.All {
			continue
		}
		lo, hi, err := ix.bounds(e.program.TopConfig)
		if err != nil {
			return nil, err
		}
		ranges[i].min = int(min(max(math.Ceil(lo), 1), maxArray+1))
		ranges[i].max = int(min(max(math.Floor(hi), 0), maxArray))
	}
	var out []int
	for _, entries := range paths {
		if !entries.unsorted {
			before := len(out)
			out = entriesIn(entries.list, ranges, 0, out)
			e.work += len(out) - before
			continue
		}
		for _, entry := range entries.list {
			if matches(ranges, entry) {
				out = append(out, entry.item)
			}
		}
		e.work += len(entries.list)
	}
	if e.work > maxReferences {
		return nil, &mistake{faults.TooLarge, position(r.Pos), fmt.Sprintf("the files contain more than %d references",
			maxReferences), "name fewer kernels or resources, or use smaller arrays"}
	}
	if len(out) == 0 {
		return nil, &mistake{faults.NamesNothing, position(r.Pos), "nothing is named " + quote(r.String()),
			"array indices start at 1, and only arrays have an index"}
	}
	return out, nil
}

// anyName is the segment of a reference that matches every name, with any index.
const anyName = "*"

// paths returns the entries of all paths that a reference matches; none if the name is unknown.
func (p *pathIndex) paths(r *ref) []*pathEntries {
	names := make([]string, len(r.Segments))
	for i := range r.Segments {
		names[i] = r.Segments[i].Name
	}
	if !slices.Contains(names, anyName) {
		if entries := p.at[strings.Join(names, ".")]; entries != nil {
			return []*pathEntries{entries}
		}
		return nil
	}
	var all []*pathEntries
	for _, path := range keys(p.at) {
		if slices.EqualFunc(names, strings.Split(path, "."), func(name, part string) bool {
			return name == anyName || name == part
		}) {
			all = append(all, p.at[path])
		}
	}
	return all
}

// indexRange is the range of indices of one segment of a reference. The indices of an array start at 1; a single item
// has index 0.
type indexRange struct{ min, max int }

func matches(ranges []indexRange, entry pathEntry) bool {
	for i, r := range ranges {
		if n := entry.indices[i]; n < r.min || n > r.max {
			return false
		}
	}
	return true
}

// entriesIn adds the items of entries whose indices are in the ranges for segment i and all later segments. The entries
// must be sorted, with equal indices for earlier segments. entriesIn visits only the added entries and a logarithmic
// number of other entries.
func entriesIn(entries []pathEntry, ranges []indexRange, i int, out []int) []int {
	if restIsOpen(ranges[i:]) {
		for _, entry := range entries {
			out = append(out, entry.item)
		}
		return out
	}
	from := sort.Search(len(entries), func(j int) bool { return entries[j].indices[i] >= ranges[i].min })
	for entries = entries[from:]; len(entries) > 0 && entries[0].indices[i] <= ranges[i].max; {
		index := entries[0].indices[i]
		n := sort.Search(len(entries), func(j int) bool { return entries[j].indices[i] > index })
		out = entriesIn(entries[:n], ranges, i+1, out)
		entries = entries[n:]
	}
	return out
}

// restIsOpen reports whether ranges include all indices.
func restIsOpen(ranges []indexRange) bool {
	return !slices.ContainsFunc(ranges, func(r indexRange) bool { return r != indexRange{0, maxArray} })
}

// indexNames indexes all kernels and edges.
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

// isUnread reports whether a statement that could not be read may declare a name in the reference.
func (e *elaborator) isUnread(r *ref) bool {
	for i := range r.Segments {
		if e.unread[r.Segments[i].Name] {
			return true
		}
	}
	return false
}
