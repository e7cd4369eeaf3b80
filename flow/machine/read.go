package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// These are folders of sysfs, without the leading slash.
const (
	processorFolder = "sys/devices/system/cpu"
	nodeFolder      = "sys/devices/system/node"
)

// Options restrict the part of a machine that a process may use.
type Options struct {
	Processors []int // processors that the process may use; nil for all online processors
	Nodes      []int // nodes whose memory the process may use; nil for all
}

// Here reads the description of this machine. If the process is bound to some processors (taskset, cpusets of a
// container), Here reads only these processors.
func Here() (*Machine, error) {
	var o Options
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cannot read the processors that this process may use: %w", err)
	}
	for i := 0; len(o.Processors) < set.Count(); i++ {
		if set.IsSet(i) {
			o.Processors = append(o.Processors, i)
		}
	}
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(text)) {
			if list, ok := strings.CutPrefix(line, "Mems_allowed_list:"); ok {
				if o.Nodes, err = parseList(list); err != nil {
					o.Nodes = nil
				}
			}
		}
	}
	return Read(os.DirFS("/"), o)
}

// In reads the description of a machine from a folder with a copy of its files. If folder is "", it reads this machine.
func In(folder string) (*Machine, error) {
	if folder == "" {
		m, err := Here()
		if err != nil {
			return nil, fmt.Errorf("reading the machine: %w", err)
		}
		return m, nil
	}
	m, err := Read(os.DirFS(folder), Options{})
	if err != nil {
		return nil, fault.Usage(fmt.Errorf("cannot read the description of a machine in %s: %w (copy /%s of "+
			"that machine to %s)", folder, err, processorFolder, path.Join(folder, processorFolder)))
	}
	return m, nil
}

// reader reads one machine.
type reader struct {
	root fs.FS
	o    Options
	m    *Machine
	core map[int]int // by usable processor: the lowest processor of its core
}

// Read reads a machine from a file tree that contains sys and, optionally, proc. The tree is the root of the file
// system, or a copy from another machine. It returns an error if the tree does not describe a machine.
func Read(root fs.FS, o Options) (*Machine, error) {
	r := &reader{root: root, o: o, m: &Machine{}, core: make(map[int]int)}
	if err := r.processors(); err != nil {
		return nil, err
	}
	if err := errors.Join(r.nodes(), r.cores(), r.caches()); err != nil {
		return nil, err
	}
	r.kinds()
	r.order()
	r.model()
	r.quota()
	return r.m, nil
}

// text returns the content of a file, or "" if it does not exist.
func (r *reader) text(name string) string {
	content, err := fs.ReadFile(r.root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// number returns the number in a file, or Unknown if the file does not exist or contains no number.
func (r *reader) number(name string) int {
	n, err := strconv.Atoi(r.text(name))
	if err != nil {
		return Unknown
	}
	return n
}

// set reads a set of processors from one of two files: list contains a list, and mask a bit mask. It returns nil if
// neither file exists.
func (r *reader) set(list, mask string) ([]int, error) {
	if text := r.text(list); text != "" {
		set, err := parseList(text)
		if err != nil {
			return nil, fmt.Errorf("cannot read /%s: %w", list, err)
		}
		return set, nil
	}
	text := r.text(mask)
	if text == "" {
		return nil, nil
	}
	set, err := parseMask(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read /%s: %w", mask, err)
	}
	return set, nil
}

// note adds a note about missing data, unless the same note exists.
func (r *reader) note(id fault.ID, format string, args ...any) {
	if x := id.Notef(format, args...); !slices.Contains(r.m.Notes, x) {
		r.m.Notes = append(r.m.Notes, x)
	}
}

// numbered returns the numbers of the subfolders NAME0, NAME1 and so on, in ascending order.
func (r *reader) numbered(folder, name string) []int {
	entries, err := fs.ReadDir(r.root, folder)
	if err != nil {
		return nil
	}
	var list []int
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), name)
		n, err := strconv.Atoi(rest)
		if ok && err == nil && n >= 0 && n < maxProcessors && rest[0] != '+' {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// processors finds the online processors, and the processors that the process may use.
func (r *reader) processors() error {
	m := r.m
	var err error
	if m.Online, err = r.set(processorFolder+"/online", ""); err != nil {
		return err
	}
	if m.Online == nil {
		for _, p := range r.numbered(processorFolder, "cpu") {
			if r.number(at(p)+"/online") != 0 { // Unknown for a processor that cannot be taken offline
				m.Online = append(m.Online, p)
			}
		}
	}
	if len(m.Online) == 0 {
		return faults.NoProcessorsSeen.Errorf("/%s describes no processors (check that sysfs is mounted)",
			processorFolder)
	}
	m.Usable = m.Online
	if r.o.Processors != nil {
		if m.Usable = common(m.Online, r.o.Processors); len(m.Usable) == 0 {
			return faults.NoProcessorsSeen.Errorf("this process may use the processors %s, but only the processors %s "+
				"are online", Ranges(r.o.Processors), Ranges(m.Online))
		}
	}
	return nil
}

// at returns the folder of a processor.
func at(processor int) string { return fmt.Sprintf("%s/cpu%d", processorFolder, processor) }

// cores groups the usable processors by core.
func (r *reader) cores() error {
	index := make(map[int]int) // index of each core by its lowest processor
	for _, p := range r.m.Usable {
		topology := path.Join(at(p), "topology")
		siblings, err := r.set(topology+"/core_cpus_list", topology+"/core_cpus")
		if err == nil && siblings == nil {
			siblings, err = r.set(topology+"/thread_siblings_list", topology+"/thread_siblings")
		}
		if err != nil {
			return err
		}
		if siblings = common(siblings, r.m.Online); !slices.Contains(siblings, p) {
			r.note(faults.ThreadsUnknown, "Linux does not report which processors are threads of one core, so each "+
				"processor counts as a core")
			siblings = []int{p}
		}
		lowest := siblings[0]
		r.core[p] = lowest
		i, ok := index[lowest]
		if !ok {
			i = len(r.m.Cores)
			index[lowest] = i
			r.m.Cores = append(r.m.Cores, Core{Threads: len(siblings), Socket: r.number(topology +
				"/physical_package_id"), Die: r.number(topology + "/die_id"), Node: r.nodeOf(p),
				Capacity: max(r.number(at(p)+"/cpu_capacity"), 0)})
		}
		r.m.Cores[i].Processors = append(r.m.Cores[i].Processors, p)
	}
	for i := range r.m.Cores {
		if r.m.Cores[i].Socket == Unknown {
			r.note(faults.SocketsUnknown, "Linux does not report the sockets of the cores")
		}
	}
	return nil
}

// nodeOf returns the node of a processor; Unknown if Linux does not report it.
func (r *reader) nodeOf(processor int) int {
	for i := range r.m.Nodes {
		if slices.Contains(r.m.Nodes[i].Processors, processor) {
			return r.m.Nodes[i].Number
		}
	}
	return Unknown
}

// caches reads each cache of the usable processors, once.
func (r *reader) caches() error {
	type key struct {
		level, first int
		typ          string
	}
	seen := make(map[key]bool)
	for _, p := range r.m.Usable {
		folder := path.Join(at(p), "cache")
		for _, i := range r.numbered(folder, "index") {
			dir := fmt.Sprintf("%s/index%d", folder, i)
			c := Cache{Level: r.number(dir + "/level"), Type: r.text(dir + "/type"), Bytes: cacheBytes(r.text(dir +
				"/size")), From: "/" + dir}
			shared, err := r.set(dir+"/shared_cpu_list", dir+"/shared_cpu_map")
			if err != nil {
				return err
			}
			if shared == nil {
				shared = []int{p}
			}
			if c.Level < 1 || c.Level > maxLevels || !slices.Contains(shared, p) {
				r.note(faults.CachesUnknown, "the description of the cache in /%s is inconsistent, so xopt ignores it",
					dir)
				continue
			}
			c.Processors = common(r.m.Usable, shared)
			if k := (key{c.Level, c.Processors[0], c.Type}); !seen[k] {
				seen[k] = true
				r.m.Caches = append(r.m.Caches, c)
			}
		}
	}
	if len(r.m.Caches) == 0 {
		r.note(faults.CachesUnknown, "Linux does not report the caches")
	}
	slices.SortStableFunc(r.m.Caches, func(a, b Cache) int { return a.Level - b.Level })
	return nil
}

// cacheBytes parses a size such as 1024K. It returns 0 for an invalid size.
func cacheBytes(text string) int64 {
	unit := int64(1)
	for suffix, factor := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if strings.HasSuffix(text, suffix) {
			unit = factor
		}
	}
	n, err := strconv.ParseInt(strings.TrimRight(text, "KMG"), 10, 64)
	if err != nil || n < 0 || n > 1<<50/unit {
		return 0
	}
	return n * unit
}

// nodes reads the NUMA nodes.
func (r *reader) nodes() error {
	for _, n := range r.numbered(nodeFolder, "node") {
		dir := fmt.Sprintf("%s/node%d", nodeFolder, n)
		all, err := r.set(dir+"/cpulist", dir+"/cpumap")
		if err != nil {
			return err
		}
		node := Node{Number: n, Processors: common(r.m.Usable, all), Allowed: r.o.Nodes == nil ||
			slices.Contains(r.o.Nodes, n)}
		for line := range strings.Lines(r.text(dir + "/meminfo")) { // Node 0 MemTotal:  16314 kB
			words := strings.Fields(line)
			if len(words) == 5 && words[2] == "MemTotal:" {
				if kib, err := strconv.ParseInt(words[3], 10, 53); err == nil {
					node.Bytes = kib << 10
				}
			}
		}
		for word := range strings.FieldsSeq(r.text(dir + "/distance")) {
			if d, err := strconv.Atoi(word); err == nil {
				node.Distances = append(node.Distances, d)
			}
		}
		r.m.Nodes = append(r.m.Nodes, node)
	}
	if len(r.m.Nodes) == 0 {
		r.note(faults.NodesUnknown, "Linux does not report NUMA nodes, so all memory counts as equally near")
	}
	return nil
}

// alike is the minimum capacity of a core relative to the fastest core of its kind. Clocks differ slightly between the
// cores of a kind.
const alike = 0.9

// kinds determines the kind of each core: in hybrid processors by name, otherwise by capacity.
func (r *reader) kinds() {
	atom, err := r.set("sys/devices/cpu_atom/cpus", "")
	if err == nil && len(atom) > 0 && r.text("sys/devices/cpu_core/cpus") != "" {
		fast := false
		for i := range r.m.Cores {
			slow := slices.Contains(atom, r.m.Cores[i].Processors[0])
			fast = fast || !slow
			if slow {
				r.m.Cores[i].Kind = 1
			}
		}
		if !fast { // all usable cores are of the same kind
			for i := range r.m.Cores {
				r.m.Cores[i].Kind = 0
			}
		}
		return
	}
	var capacities []int
	for i := range r.m.Cores {
		if r.m.Cores[i].Capacity == 0 {
			return
		}
		capacities = append(capacities, r.m.Cores[i].Capacity)
	}
	slices.Sort(capacities)
	slices.Reverse(capacities)
	kind, top := make(map[int]int), capacities[0]
	n := 0
	for _, c := range capacities {
		if float64(c) < alike*float64(top) {
			n, top = n+1, c
		}
		kind[c] = n
	}
	for i := range r.m.Cores {
		r.m.Cores[i].Kind = kind[r.m.Cores[i].Capacity]
	}
}

// order sorts the cores by kind, socket, node, die, and cache from the highest level to the lowest. Cores that share
// the most components are then adjacent.
func (r *reader) order() {
	levels := r.m.Levels()
	slices.Reverse(levels)
	key := func(c *Core) []int {
		k := []int{c.Kind, c.Socket, c.Node, c.Die}
		for _, level := range levels {
			first := c.Processors[0]
			if cache := r.m.Cache(level, first); cache != nil {
				first = cache.Processors[0]
			}
			k = append(k, first)
		}
		return append(k, c.Processors[0])
	}
	slices.SortStableFunc(r.m.Cores, func(a, b Core) int { return slices.Compare(key(&a), key(&b)) })
}

// model reads the name of the processors, and detects a hypervisor.
func (r *reader) model() {
	for line := range strings.Lines(r.text("proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch name {
		case "model name", "cpu model", "cpu":
			if r.m.Model == "" {
				r.m.Model = value
			}
		case "flags":
			r.m.Virtual = r.m.Virtual || slices.Contains(strings.Fields(value), "hypervisor")
		}
	}
	if r.text("sys/hypervisor/type") != "" {
		r.m.Virtual = true
	}
}
