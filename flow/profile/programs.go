package profile

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"xopt/internal/proc"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// Program is another program on this machine, with the mean number of processors that its processes used.
type Program struct {
	Name       string
	Processors float64
}

// usedBetween returns the processor time that each program used between two readings of /proc, without process own and
// its descendants. The time of a terminated child counts for its nearest living ancestor, without the part from before
// the first reading.
func usedBetween(before, now map[int]proc.Stat, own int) map[string]time.Duration {
	ended := make(map[int]time.Duration) // by parent
	for id, p := range before {
		if _, alive := now[id]; alive {
			continue
		}
		heir := p.Parent
		for range len(before) {
			if _, alive := now[heir]; alive {
				break
			}
			heir = before[heir].Parent
		}
		ended[heir] += p.Used
	}
	used := make(map[string]time.Duration)
	for id, p := range now {
		if descends(now, id, own) {
			continue
		}
		d := p.Used
		if was, seen := before[id]; seen && was.Started == p.Started {
			d -= was.Used + ended[id]
		}
		if d > 0 {
			used[safetext.Line(p.Name)] += d
		}
	}
	return used
}

// descends reports whether process id is process ancestor or one of its descendants.
func descends(list map[int]proc.Stat, id, ancestor int) bool {
	for range len(list) {
		if id == ancestor {
			return true
		}
		p, ok := list[id]
		if !ok {
			return false
		}
		id = p.Parent
	}
	return false
}

// programs returns the other programs that used processors since w began, busiest first. Together they used total
// processors.
func (w Watch) programs(elapsed time.Duration, total float64) []Program {
	return busiest(usedBetween(w.processes, proc.Processes(w.dir), os.Getpid()), elapsed, total)
}

// busiest returns the programs that used at least a hundredth of a processor, busiest first. Linux adds the time of a
// child to its parent only when the child terminates, so a part of this time may be from before the interval. If the
// sum exceeds total, busiest reduces all values in proportion.
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

// maxNamed limits the number of programs that a message names.
const maxNamed = 3

// NamePrograms formats the busiest programs of a list with the processors that they used; "" for an empty list.
func NamePrograms(list []Program) string {
	var names []string
	for _, p := range list {
		names = append(names, fmt.Sprintf("%s %.2f", p.Name, p.Processors))
	}
	return strings.Join(units.First(names, maxNamed, "and %d more"), ", ")
}
