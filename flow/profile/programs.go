package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/internal/safetext"
)

// Program is another program of this machine, with the processors that its processes used on average.
type Program struct {
	Name       string
	Processors float64
}

// process is a process of /proc. Its processor time contains that of its children that have ended.
type process struct {
	name    string // may change: kernel threads are renamed with their work
	parent  int
	used    time.Duration
	started int64 // ticks since the start of the machine; with the id it identifies a process
}

// Processes reads the processes of a /proc by their ids, with a parser of their file stat. It ignores processes that
// end meanwhile.
func Processes[P any](proc string, parse func(stat []byte) (P, bool)) map[int]P {
	entries, _ := os.ReadDir(proc) // without /proc no program is named
	list := make(map[int]P, len(entries))
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(proc, entry.Name(), "stat"))
		if err != nil {
			continue
		}
		if p, ok := parse(text); ok {
			list[id] = p
		}
	}
	return list
}

// parseProcess reads /proc/N/stat (proc(5)); the name in it may contain any character.
func parseProcess(text []byte) (p process, ok bool) {
	begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return p, false
	}
	const parent, user, childrenSystem, started = 1, 11, 14, 19 // fields after the name
	fields := bytes.Fields(text[end+1:])
	if len(fields) <= started {
		return p, false
	}
	p.name = safetext.Line(string(text[begin+1 : end]))
	var err error
	if p.parent, err = strconv.Atoi(string(fields[parent])); err != nil {
		return p, false
	}
	if p.started, err = strconv.ParseInt(string(fields[started]), 10, 64); err != nil {
		return p, false
	}
	for _, f := range fields[user : childrenSystem+1] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return p, false
		}
		p.used += time.Duration(n) * tick
	}
	return p, true
}

// usedBetween returns the processor time of each program between two readings of /proc, without process own and its
// descendants. The time of a child that ended counts for its parent, minus the part counted before. If the parent
// ended too, it counts for the nearest ancestor that did not.
func usedBetween(before, now map[int]process, own int) map[string]time.Duration {
	ended := make(map[int]time.Duration) // by parent
	for id, p := range before {
		if _, alive := now[id]; alive {
			continue
		}
		heir := p.parent
		for range len(before) {
			if _, alive := now[heir]; alive {
				break
			}
			heir = before[heir].parent
		}
		ended[heir] += p.used
	}
	used := make(map[string]time.Duration)
	for id, p := range now {
		if descends(now, id, own) {
			continue
		}
		d := p.used
		if was, seen := before[id]; seen && was.started == p.started {
			d -= was.used + ended[id]
		}
		if d > 0 {
			used[p.name] += d
		}
	}
	return used
}

// descends reports whether a process is another one or a descendant of it.
func descends(list map[int]process, id, ancestor int) bool {
	for range len(list) {
		if id == ancestor {
			return true
		}
		p, ok := list[id]
		if !ok {
			return false
		}
		id = p.parent
	}
	return false
}

// programs returns the other programs that used processors since w began, the busiest first. Together they used total
// processors.
func (w Watch) programs(elapsed time.Duration, total float64) []Program {
	return busiest(usedBetween(w.processes, Processes(w.proc, parseProcess), os.Getpid()), elapsed, total)
}

// busiest returns the programs that used at least a hundredth of a processor, the busiest first. A process receives the
// time of a child only when that child ends, part of which may be from before the interval. If the sum exceeds total,
// the shares are reduced in proportion.
func busiest(used map[string]time.Duration, elapsed time.Duration, total float64) []Program {
	const fewest = 0.01
	var sum time.Duration
	for _, d := range used {
		sum += d
	}
	scale := 1 / elapsed.Seconds()
	if sum.Seconds()*scale > total {
		scale = total / sum.Seconds()
	}
	var list []Program
	for name, d := range used {
		if p := d.Seconds() * scale; p >= fewest {
			list = append(list, Program{name, p})
		}
	}
	slices.SortFunc(list, func(a, b Program) int {
		return cmp.Or(cmp.Compare(b.Processors, a.Processors), strings.Compare(a.Name, b.Name))
	})
	return list
}

// maxNamed is the number of programs that a message names.
const maxNamed = 3

// NamePrograms names the busiest programs of a list with the processors that they used; "" for an empty list.
func NamePrograms(list []Program) string {
	var names []string
	for i, p := range list {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s %.2f", p.Name, p.Processors))
	}
	return strings.Join(names, ", ")
}
