// Package machine owns what Linux says of the machine at hand: sockets, cores, hardware threads, the caches that cores
// share, NUMA nodes and their memory, and how much of them a process may use. It reads sysfs and procfs, whose layout
// stands in the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu and .../sysfs-devices-node, and writes the
// machine as an architecture in X.
//
// It stands before everything: what it writes is a file like any other. Nothing is measured here; in a virtual machine,
// or a container, all of it is what the host tells.
package machine

import (
	"xopt/internal/fault"
)

// Unknown stands where Linux does not say a number.
const Unknown = -1

// Machine is what Linux says of a machine, as far as a process may use it.
type Machine struct {
	Model   string `json:"model"`   // of its processors; "" where Linux does not say
	Virtual bool   `json:"virtual"` // a hypervisor is below: the host may move its processors
	Online  []int  `json:"online"`  // processors (hardware threads), by Linux's numbers
	Usable  []int  `json:"usable"`  // those that this process may use: affinity, cpusets
	// Cores has the cores with a usable processor: those of one socket together, and there those of one node, of one
	// cache.
	Cores  []Core  `json:"cores"`
	Caches []Cache `json:"caches"` // of these cores; none where Linux does not say
	Nodes  []Node  `json:"nodes"`  // of memory; none where Linux does not say
	// Quota is how many processors' time the process may use in a second (the control group's cpu.max); 0 for all.
	Quota     float64      `json:"quota,omitempty"`
	QuotaFrom string       `json:"quotaFrom,omitempty"` // the file that says so
	Notes     []fault.Note `json:"notes,omitempty"`     // what Linux does not say, or contradicts itself in
}

// Core is a core, with the processors (hardware threads) that may be used.
type Core struct {
	Processors []int `json:"processors"`
	Threads    int   `json:"threads"` // that the core has, usable or not
	Socket     int   `json:"socket"`  // physical_package_id; Unknown where Linux does not say
	Die        int   `json:"die"`
	Node       int   `json:"node"`
	// Capacity is how much work it does relative to the fastest core, which has 1024; 0 where Linux does not say.
	Capacity int `json:"capacity,omitempty"`
	// Kind tells kinds of cores apart, 0 the fastest; all are 0 where they are alike.
	Kind int `json:"kind"`
}

// Cache is a cache, with the usable processors that share it.
type Cache struct {
	Level      int    `json:"level"`
	Type       string `json:"type"` // Data, Instruction or Unified
	Bytes      int64  `json:"bytes"`
	Processors []int  `json:"processors"`
	From       string `json:"from"` // the folder that says so
}

// Node is a NUMA node.
type Node struct {
	Number     int   `json:"number"`
	Processors []int `json:"processors"` // usable ones
	Bytes      int64 `json:"bytes"`      // of memory; 0 where Linux does not say
	Allowed    bool  `json:"allowed"`    // the process may have memory there
	Distances  []int `json:"distances"`  // to each node, as the firmware tells them: 10 is the node itself
}

// Sockets counts the sockets with a usable core; 0 where Linux does not say.
func (m *Machine) Sockets() int {
	seen := make(map[int]bool)
	for i := range m.Cores {
		if m.Cores[i].Socket != Unknown {
			seen[m.Cores[i].Socket] = true
		}
	}
	return len(seen)
}

// Kinds counts the kinds of cores.
func (m *Machine) Kinds() int {
	n := 0
	for i := range m.Cores {
		n = max(n, m.Cores[i].Kind+1)
	}
	return n
}

// Cache finds the data cache of a level that a processor uses; nil where Linux tells of none.
func (m *Machine) Cache(level, processor int) *Cache {
	for i := range m.Caches {
		c := &m.Caches[i]
		if c.Level != level || c.Type == instructions {
			continue
		}
		for _, p := range c.Processors {
			if p == processor {
				return c
			}
		}
	}
	return nil
}

// instructions is the type of a cache that holds no data.
const instructions = "Instruction"

// Levels lists the levels of data caches, lowest first.
func (m *Machine) Levels() []int {
	var list []int
	for level := 1; level <= mostLevels; level++ {
		for i := range m.Caches {
			if m.Caches[i].Level == level && m.Caches[i].Type != instructions {
				list = append(list, level)
				break
			}
		}
	}
	return list
}

// mostLevels bounds the levels of caches: no machine has as many.
const mostLevels = 9
