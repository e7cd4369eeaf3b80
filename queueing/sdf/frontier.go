package sdf

import (
	"container/heap"
	"encoding/binary"
	"sort"
)

// frontier contains the capacities that remain to be tried, without duplicates, in order of memory.
type frontier struct {
	g       *Graph
	waiting candidates
	seen    map[string]bool // waiting or tried
	used    map[string]bool
	order   int
	key     []byte
}

type candidate struct {
	sizes  []int64
	memory int64
	order  int // order of insertion, so that every search is the same
}

type candidates []candidate

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (c candidates) Len() int { return len(c) }

// Less orders by memory, then by insertion.
func (c candidates) Less(i, j int) bool {
	if c[i].memory != c[j].memory {
		return c[i].memory < c[j].memory
	}
	return c[i].order < c[j].order
}

func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }

func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

func newFrontier(g *Graph) *frontier {
	return &frontier{g: g, seen: make(map[string]bool), used: make(map[string]bool)}
}

// push adds capacities, unless they were added before.
func (f *frontier) push(sizes []int64) {
	f.setKey(sizes)
	if f.seen[string(f.key)] {
		return
	}
	f.seen[string(f.key)] = true
	f.order++
	heap.Push(&f.waiting, candidate{sizes: sizes, memory: f.g.Memory(sizes), order: f.order})
}

func (f *frontier) setKey(sizes []int64) {
	f.key = f.key[:0]
	for _, n := range sizes {
		f.key = binary.AppendVarint(f.key, n)
	}
}

// pop removes and returns the capacities with the least memory.
func (f *frontier) pop() []int64 {
	sizes := heap.Pop(&f.waiting).(candidate).sizes
	f.setKey(sizes)
	f.used[string(f.key)] = true
	return sizes
}

// lift raises all waiting capacities to a minimum, and merges capacities that become equal.
func (f *frontier) lift(floor []int64) {
	waiting := f.waiting
	f.waiting = make(candidates, 0, len(waiting))
	clear(f.seen)
	for key := range f.used {
		f.seen[key] = true
	}
	sort.Slice(waiting, waiting.Less)
	for _, c := range waiting {
		for i, n := range floor {
			c.sizes[i] = max(c.sizes[i], n)
		}
		f.push(c.sizes)
	}
}

func (f *frontier) empty() bool { return len(f.waiting) == 0 }
