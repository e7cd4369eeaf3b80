// Package unionfind divides the numbers 0, …, n-1 into groups by merging pairs.
package unionfind

// Sets contains, for each number, a smaller or equal member of its group. The smallest member of a group refers to
// itself.
type Sets []int

// New returns n groups of one number each.
func New(n int) Sets {
	s := make(Sets, n)
	for x := range s {
		s[x] = x
	}
	return s
}

// Find returns the smallest member of the group of x.
func (s Sets) Find(x int) int {
	for s[x] != x {
		x = s[x]
	}
	return x
}

// Union merges the groups of x and y.
func (s Sets) Union(x, y int) {
	x, y = s.Find(x), s.Find(y)
	s[max(x, y)] = min(x, y)
}

// Groups returns the members of each group in ascending order, and the group of each number. Groups are in the order of
// their smallest members.
func (s Sets) Groups() (members [][]int, of []int) {
	of = make([]int, len(s))
	for x := range s {
		if first := s.Find(x); first == x {
			of[x] = len(members)
			members = append(members, nil)
		} else {
			of[x] = of[first]
		}
		members[of[x]] = append(members[of[x]], x)
	}
	return members, of
}
