// Package machine reads Linux's description of this machine. It covers sockets, cores, hardware threads, shared caches,
// NUMA nodes and their memory, and the resources that a process may use. It reads sysfs and procfs, and writes the
// machine as an architecture in X. The kernel's Documentation/ABI/testing/sysfs-devices-system-cpu and
// .../sysfs-devices-node describe the layout.
//
// All other commands accept this architecture. The package does not measure anything. In a virtual machine or a
// container, the host determines the values.
package machine

import (
	"slices"

	"xopt/internal/fault"
)

// Unknown replaces a number that Linux does not report.
const Unknown = -1

// Machine is the part of a machine that a process may use, as Linux reports it.
type Machine struct {
	Model   string `json:"model"`   // model of its processors; "" if Linux does not report it
	Virtual bool   `json:"virtual"` // the machine is virtual, so the host may move its processors
	Online  []int  `json:"online"`  // processors (hardware threads), by Linux's numbers
	Usable  []int  `json:"usable"`  // processors that this process may use: affinity, cpusets
	// Cores contains the cores with a usable processor, grouped by kind, then by socket, node, die and cache.
	Cores  []Core  `json:"cores"`
	Caches []Cache `json:"caches"` // caches of these cores; empty if Linux reports no caches
	Nodes  []Node  `json:"nodes"`  // memory nodes; empty if Linux reports no nodes
	// Quota is the processor time in seconds that the process may use in a second (cpu.max of the control group); 0 for
	// no limit.
	Quota     float64      `json:"quota,omitempty"`
	QuotaFrom string       `json:"quotaFrom,omitempty"` // file with the quota
	Notes     []fault.Note `json:"notes,omitempty"`     // missing or contradictory data from Linux
}

// Core is a core with its usable processors (hardware threads).
type Core struct {
	Processors []int `json:"processors"`
	Threads    int   `json:"threads"` // number of threads of the core, usable or not
	Socket     int   `json:"socket"`  // physical_package_id; Unknown if Linux does not report it
	Die        int   `json:"die"`
	Node       int   `json:"node"`
	// Capacity is the speed of the core relative to the fastest core, which has 1024; 0 if Linux does not report it.
	Capacity int `json:"capacity,omitempty"`
	// Kind is the index of the core's kind, 0 for the fastest kind. It is 0 for all cores if they are of one kind.
	Kind int `json:"kind"`
}

// Cache describes a cache and the usable processors that share it.
type Cache struct {
	Level      int    `json:"level"`
	Type       string `json:"type"` // Data, Instruction or Unified
	Bytes      int64  `json:"bytes"`
	Processors []int  `json:"processors"`
	From       string `json:"from"` // folder of the cache in sysfs
}

// Node is a NUMA node.
type Node struct {
	Number     int   `json:"number"`
	Processors []int `json:"processors"` // usable processors
	Bytes      int64 `json:"bytes"`      // memory size in bytes; 0 if Linux does not report it
	Allowed    bool  `json:"allowed"`    // the process may allocate memory there
	Distances  []int `json:"distances"`  // distance to each node, from the firmware; 10 is the node itself
}

// Sockets returns the number of sockets with a usable core; 0 if Linux does not report them.
func (m *Machine) Sockets() int {
	seen := make(map[int]bool)
	for i := range m.Cores {
		if m.Cores[i].Socket != Unknown {
			seen[m.Cores[i].Socket] = true
		}
	}
	return len(seen)
}

// Kinds returns the number of kinds of cores.
func (m *Machine) Kinds() int {
	n := 0
	for i := range m.Cores {
		n = max(n, m.Cores[i].Kind+1)
	}
	return n
}

// Cache returns the data cache of a processor at a level; nil if Linux reports none.
func (m *Machine) Cache(level, processor int) *Cache {
	for i := range m.Caches {
		c := &m.Caches[i]
		if c.Level != level || c.Type == instructions {
			continue
		}
		if slices.Contains(c.Processors, processor) {
			return c
		}
	}
	return nil
}

// instructions is the type of an instruction cache.
const instructions = "Instruction"

// Levels lists the levels of data caches, lowest first.
func (m *Machine) Levels() []int {
	var list []int
	for level := 1; level <= maxLevels; level++ {
		for i := range m.Caches {
			if m.Caches[i].Level == level && m.Caches[i].Type != instructions {
				list = append(list, level)
				break
			}
		}
	}
	return list
}

// maxLevels limits the number of cache levels. Real machines have fewer levels.
const maxLevels = 9
