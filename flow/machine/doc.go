// Package machine owns what Linux says of the machine at hand: sockets, cores, hardware threads, the caches that cores
// share, NUMA nodes and their memory, and how much of them a process may use. It reads sysfs and procfs, whose layout
// stands in the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu and .../sysfs-devices-node, and writes the
// machine as an architecture in X.
//
// It stands before everything: what it writes is a file like any other. Nothing is measured here; in a virtual machine,
// or a container, all of it is what the host tells.
package machine
