package cutbound

import (
	"context"
	"slices"
	"sync"
)

// Branch and price. If prices do not exclude a part, a decision divides it. A decision fixes whether two units share a
// resource, or whether a unit is on a kind (Ryan and Foster 1981). The search ends when all parts of a target are
// excluded, or when one part contains a mapping.

// Parameters: the number of parts per batch, the batches per step, the number of stored clusters, and the initial work
// limit of a target.
const (
	treeBatch  = 4
	treeStep   = 4 // batches per step, up to treeWork
	treeWork   = 200_000_000
	maxPool    = 6000
	poolKeep   = 3000
	treeBudget = 3_000_000_000
	rootTries  = 4
	maxLeaves  = 4000 // maximum number of leaves in a certificate
)

// stepClusters executes one step with the cluster bound. It returns false if ctx is done.
func (s *Search) stepClusters(ctx context.Context) bool {
	if !s.Bounded() {
		return s.root(ctx)
	}
	if s.Done() {
		return true
	}
	return s.tree(ctx)
}

// root tries to exclude a target without branching. It returns false if ctx is done.
func (s *Search) root(ctx context.Context) bool {
	if s.at.Target <= s.at.Low || s.at.Target >= s.at.High {
		s.at.Target, s.at.Slow = s.at.Low+(s.at.High-s.at.Low)/2, 0
		if s.at.Low < s.Aim && s.Aim < s.at.Target {
			s.at.Target = s.Aim
		}
	}
	v := s.bound(ctx, s.at.Target, nil, true)
	s.Work += v.work
	s.keepClusters(v.clusters)
	switch v.outcome {
	case stopped:
		return false
	case excluded:
		s.exclude(&Certificate{Target: s.at.Target, Leaves: []Leaf{{Prices: v.prices}}})
	case unclear:
		if s.at.Slow++; s.at.Slow >= rootTries || len(v.clusters) == 0 {
			s.giveUp()
		}
	case hopeless:
		s.reached(v.point, s.at.Target)
		s.at.High, s.at.Target = min(s.at.Target, s.at.Top), 0
	default: // the bound for larger targets is not larger
		s.giveUp()
		s.at.High = max(s.at.Low, min(s.at.High, int64(v.value*One)))
	}
	return true
}

// tree bounds open parts of a target. It returns false if ctx is done.
func (s *Search) tree(ctx context.Context) bool {
	b := s.at.Branch
	if !b.Begun {
		b = Branching{Begun: true, Part: 1, Budget: treeBudget}
	}
	if b.Target <= s.at.Low || b.Target >= s.at.Top { // already decided
		b.Target = 0
	}
	if b.Target == 0 {
		b.Target, b.Spent, b.Open = s.at.Low+max(1, (s.at.Top-s.at.Low)>>b.Part), 0, [][]Fix{nil}
		if b.Part == 0 {
			b.Target = s.at.Top - Nearest + 1
		}
		if s.at.Low < s.Aim && s.Aim < b.Target {
			b.Target = s.Aim
		}
		s.leaves, s.torn = nil, !s.Record
	}
	open, leaves, begun := slices.Clone(b.Open), slices.Clip(s.leaves), s.Work
	hope, dull := false, false
	for batch := 0; batch < treeStep && len(open) > 0 && !dull && !hope && s.Work-begun < treeWork; batch++ {
		n := min(treeBatch, len(open))
		parts := open[len(open)-n:]
		open = open[: len(open)-n : len(open)-n]
		for i, v := range s.visitAll(ctx, b.Target, parts) {
			s.Work += v.work
			if v.outcome == stopped {
				return false
			}
			s.keepClusters(v.clusters)
			switch v.outcome {
			case excluded:
				if s.torn = s.torn || len(leaves) >= maxLeaves; !s.torn {
					leaves = append(leaves, Leaf{Fixes: parts[i], Prices: v.prices})
				}
			case divided:
				open = append(open, v.parts...)
			case hopeless:
				if s.reached(v.point, b.Target) {
					hope = true
					continue
				}
				dull, open = true, append(open, parts[i])
			default:
				dull, open = true, append(open, parts[i])
			}
		}
	}
	b.Spent += s.Work - begun
	if b.Open, s.leaves = open, leaves; dull {
		b.Spent = max(b.Spent, b.Budget)
	}
	s.closeTarget(&b, hope)
	s.at.Branch = b
	return true
}

// reached records a complete division as Point if its load is smaller than Point's load. It reports whether the
// division meets the target. Because of rounding in the linear program, a division may exceed the target.
func (s *Search) reached(division []Cluster, target int64) bool {
	load := s.p.reaches(division)
	if s.Point == nil || load < s.p.reaches(s.Point) {
		s.Point = division
	}
	s.at.Top = min(s.at.Top, load)
	return load <= target
}

// closeTarget ends the work on a target that is decided or has reached its work limit.
func (s *Search) closeTarget(b *Branching, hope bool) {
	switch {
	case hope:
		b.Target, b.Part = 0, max(0, b.Part-1)
	case len(b.Open) == 0:
		if s.at.Low = b.Target; !s.torn {
			s.Certificate = &Certificate{Target: b.Target, Leaves: s.leaves}
		}
		b.Target, b.Part = 0, max(0, b.Part-1)
	case b.Spent >= b.Budget:
		b.Target = 0
		if b.Part++; b.Part > maxHalvings {
			b.Part, b.Budget = 0, b.Budget*moreBudget
		}
	}
}

// visitAll bounds the given parts, up to Threads in parallel.
func (s *Search) visitAll(ctx context.Context, target int64, parts [][]Fix) []visited {
	list := make([]visited, len(parts))
	turns := make(chan struct{}, max(1, s.Threads))
	var wg sync.WaitGroup
	for i := range parts {
		turns <- struct{}{}
		wg.Go(func() {
			list[i] = s.bound(ctx, target, parts[i], false)
			<-turns
		})
	}
	wg.Wait()
	return list
}

// keepClusters adds new clusters to the pool. If there are too many, it removes the oldest.
func (s *Search) keepClusters(list []Cluster) {
	if len(list) == 0 {
		return
	}
	existing := make(map[string]bool, len(s.pool))
	for i := range s.pool {
		existing[s.pool[i].key()] = true
	}
	clusters := slices.Clip(s.at.Clusters)
	for _, c := range list {
		if !existing[c.key()] {
			existing[c.key()] = true
			clusters, s.pool = append(clusters, c), append(s.pool, s.pooled(c))
		}
	}
	if excess := len(clusters) - poolKeep; len(clusters) > maxPool {
		clusters, s.pool = slices.Clone(clusters[excess:]), slices.Clone(s.pool[excess:])
	}
	s.at.Clusters = clusters
}
