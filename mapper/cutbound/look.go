package cutbound

import "context"

// Looked is what was found out about one part of a target: all mappings that keep some decisions.
type Looked struct {
	// Excluded is that no mapping of the part keeps the target. Prices show it; they have no units where the decisions
	// contradict each other or leave a unit nowhere.
	Excluded bool
	Prices   *Prices
	// Parts are two sets of decisions that together are the part, where it was divided.
	Parts [][]Fix
	// Point is a division of all units that keeps the target as far as the problem knows.
	Point []Cluster
	// Clusters are new ones, which other parts have use for (Learn).
	Clusters []Cluster
	Work     uint64
}

// Look bounds one part of a target, and divides it where it is not excluded. It changes nothing in the search, so that
// parts can be looked at side by side, in one process or in several: a target is excluded when all parts of it are,
// beginning with the one without decisions. Where none of Excluded, Parts and Point is there, ctx ended it,
// or rounding left it unclear.
func (s *Search) Look(ctx context.Context, target int64, fixes []Fix) Looked {
	v := s.bound(ctx, target, fixes, false)
	return Looked{Excluded: v.end == excluded, Prices: v.prices, Parts: v.parts, Point: v.point, Clusters: v.clusters,
		Work: v.work}
}

// Learn takes in clusters that another search of the same problem has found.
func (s *Search) Learn(clusters []Cluster) {
	var list []Cluster
	for i := range clusters {
		if s.p.validCluster(&clusters[i]) {
			list = append(list, clusters[i])
		}
	}
	s.keepClusters(list)
}
