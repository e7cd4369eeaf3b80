package profile

import (
	"cmp"
	"math"
	"slices"
)

// Measured is a node of a cluster with its profile.
type Measured struct {
	Node    string   `json:"node"`
	Caches  string   `json:"caches,omitempty"` // caches of its cores
	Profile *Profile `json:"profile"`
}

// Type is a type of machine: nodes with the same processor model, number of cores, caches and system.
type Type struct {
	Machine Machine
	Caches  string
	Nodes   []Measured // nodes in the order of the argument of Types
	// Typical is the node whose profile represents the type: the node that differs least from the other nodes.
	Typical int
	// Odd contains the nodes that differ from the typical node by more than [OddChange].
	Odd []Odd
}

// Odd is a node that differs from the typical node of its type.
type Odd struct {
	Node    string
	Differ  []Difference // differing figures: A is the typical node's value, B the odd node's
	Figures int          // number of speeds in both profiles
}

// OddChange is the minimum relative difference of two figures with disjoint intervals for which a node counts as odd.
// The value is assumed. The clocks of processors of one model differ by less, and one defective memory channel causes a
// larger difference.
const OddChange = 0.05

// Types groups nodes of the same type, in the order of the first node of each type, and finds the odd nodes.
func Types(list []Measured) []Type {
	var types []Type
	for _, m := range list {
		i := slices.IndexFunc(types, func(t Type) bool {
			x, y := &t.Machine, &m.Profile.Machine
			return x.CPU == y.CPU && x.Cores == y.Cores && x.Kernel == y.Kernel && t.Caches == m.Caches
		})
		if i < 0 {
			types, i = append(types, Type{Machine: m.Profile.Machine, Caches: m.Caches}), len(types)
		}
		types[i].Nodes = append(types[i].Nodes, m)
	}
	for i := range types {
		types[i].compare()
	}
	return types
}

// compare finds the typical node of a type, and the nodes that differ from the typical node.
func (t *Type) compare() {
	differ := make([]int, len(t.Nodes)) // number of figures that differ from the figures of all other nodes
	for i := range t.Nodes {
		for j := range t.Nodes {
			if i != j {
				far, _ := differences(t.Nodes[i].Profile, t.Nodes[j].Profile)
				differ[i] += len(far)
			}
		}
	}
	for i := range differ {
		if differ[i] < differ[t.Typical] {
			t.Typical = i
		}
	}
	for i := range t.Nodes {
		far, all := differences(t.Nodes[t.Typical].Profile, t.Nodes[i].Profile)
		if i != t.Typical && len(far) > 0 {
			t.Odd = append(t.Odd, Odd{Node: t.Nodes[i].Node, Differ: far, Figures: all})
		}
	}
}

// Speeds returns the figures in both profiles that depend on the speed of a node: rates and costs. It omits figures
// that depend on the data, such as gains, and the variation of times, which depends on disturbance.
func Speeds(a, b *Profile) []Difference {
	return slices.DeleteFunc(Compare(a, b), func(d Difference) bool {
		return d.What != "service rate" && d.What != "co-location cost" && d.What != "receive cost" &&
			d.What != "send cost"
	})
}

// differences returns the speeds of two profiles that differ significantly and by more than [OddChange], in descending
// order of the difference. all is the number of speeds in both profiles.
func differences(a, b *Profile) (far []Difference, all int) {
	list := Speeds(a, b)
	for i := range list {
		if !list[i].Agree && math.Abs(list[i].Relative()) > OddChange {
			far = append(far, list[i])
		}
	}
	slices.SortStableFunc(far, func(x, y Difference) int {
		return -cmp.Compare(math.Abs(x.Relative()), math.Abs(y.Relative()))
	})
	return far, len(list)
}
