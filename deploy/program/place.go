package program

import (
	"fmt"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/flow/machine"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// choice is a property that a config of a core's platform selects, and that an option may override.
type choice struct {
	config  string
	values  []string // the first is the default
	given   string   // value in the options; "" for none
	option  string   // name of the option
	problem func(id fault.ID, format string, args ...any)
}

// of returns the selected value for a resource.
func (c choice) of(p *plan, r int) string {
	what, value := c.option, c.given
	if value == "" {
		what = fmt.Sprintf("%s of resource %s", c.config, p.program.Resources[r].Name)
		value = p.program.Resources[r].Config[c.config].Text
	}
	if value == "" {
		return c.values[0]
	}
	if !slices.Contains(c.values, value) {
		c.problem(faults.WrongChoice, "%s is %q, expected %s", what, value,
			strings.Join(c.values[:len(c.values)-1], ", ")+" or "+
				c.values[len(c.values)-1])
		return c.values[0]
	}
	return value
}

// Processors returns the number of processors that this process may use.
func Processors() int { return len(processors(0)) }

// UsableProcessors returns the first processors available for pinning, at most the given number.
func UsableProcessors(maximum int) []int { return processors(maximum) }

// pinned returns the processors of the cores in use. The processors of a run over hosts are the numbers in the configs
// or, without configs, indices into the processors that a host reports.
func (p *plan) pinned(d *design.Design, cpus []int, problem func(id fault.ID, format string, args ...any)) map[int]int {
	if p.hosts == nil {
		return p.pin(d, cpus, problem)
	}
	pinned, used := make(map[int]int), make(map[int]int)
	for r := range p.program.Resources {
		if !slices.Contains(d.Mapping.Place, r) {
			continue
		}
		host := p.hostOf(r)
		pinned[r] = used[host]
		if cpu, named := design.Processor(&p.program.Resources[r]); named {
			pinned[r] = cpu
		}
		used[host]++
	}
	return pinned
}

// pin selects the processor of each core in use. A core with a processor in its config uses that processor, unless the
// options exclude it. The other cores use the remaining processors in turn.
func (p *plan) pin(d *design.Design, cpus []int, problem func(id fault.ID, format string, args ...any)) map[int]int {
	pinned := make(map[int]int)
	var others []int
	free := slices.Clone(cpus)
	for r := range p.program.Resources {
		if !slices.Contains(d.Mapping.Place, r) {
			continue
		}
		cpu, named := design.Processor(&p.program.Resources[r])
		switch {
		case !named || cpus[0] < 0: // without affinity no process is pinned
			others = append(others, r)
		case slices.Contains(cpus, cpu):
			pinned[r] = cpu
			free = slices.DeleteFunc(free, func(c int) bool { return c == cpu })
		case p.options.CPUs > 0:
			others = append(others, r)
		default:
			problem(faults.WrongCPU, "cpu of resource %s is %d, but this process may use only the processors %s: "+
				"create the architecture of this machine again with xopt machine -o FILE, or choose cores with "+
				"--cpus %d",
				p.program.Resources[r].Name, cpu, machine.Ranges(cpus), len(cpus))
			pinned[r] = cpus[0]
		}
	}
	if len(free) == 0 {
		free = cpus
	}
	for i, r := range others {
		pinned[r] = free[i%len(free)]
	}
	return pinned
}

// assign creates processes and pins them. It assigns the cores in use, in the order of the architecture, to the
// available processors.
func (p *plan) assign(d *design.Design, problem func(id fault.ID, format string, args ...any)) {
	styles := choice{"processes", []string{string(PerCore), string(PerKernel)}, string(p.options.Style), "style",
		problem}
	waits := choice{"wait", []string{string(WaitAuto), string(WaitBlock), string(WaitSpinBlock), string(WaitSpin),
		string(WaitYield)}, string(p.options.Wait), "wait", problem}
	schedulers := choice{"scheduler", []string{string(SchedulerOther), string(SchedulerBatch), string(SchedulerRR)},
		string(p.options.Scheduler), "scheduler", problem}
	schedules := choice{"schedule", Schedules(), string(p.options.Schedule), "schedule", problem}
	cpus := processors(p.options.CPUs)
	p.hosts = hostsOf(p.program, d.Mapping.Place)
	p.process = make([]int, len(p.program.Kernels))
	users := make(map[int]int) // number of processes, by processor
	pinned := p.pinned(d, cpus, problem)
	var order, batches []string // configs of each process
	for r := range p.program.Resources {
		cpu, used := pinned[r]
		if !used {
			continue
		}
		host := p.hostOf(r)
		style, wait, scheduler := styles.of(p, r), waits.of(p, r), schedulers.of(p, r)
		schedule, batch := schedules.of(p, r), p.batchConfig(r)
		begun := false
		for k := range p.program.Kernels {
			if d.Mapping.Place[k] != r {
				continue
			}
			if !begun || style == string(PerKernel) {
				x := Process{Name: p.program.Resources[r].Name, Processor: cpu, Wait: Wait(wait),
					Scheduler: Scheduler(scheduler), Host: host}
				_, x.Named = design.Processor(&p.program.Resources[r])
				if style == string(PerKernel) {
					x.Name = p.program.Kernels[k].Name
				}
				p.processes = append(p.processes, x)
				order, batches = append(order, schedule), append(batches, batch)
				users[cpu]++
				begun = true
			}
			p.process[k] = len(p.processes) - 1
		}
	}
	p.schedule(order, batches, problem)
	if p.hosts == nil && len(p.processes) > len(cpus) {
		p.notes = append(p.notes, faults.ProcessorsShared.Notef("%d processes share %s here, but recommended "+
			"buffer sizes assume a processor for each process. With --buffers tuned, the rate may fall to half of "+
			"the rate "+
			"with --buffers default", len(p.processes), units.Counted(len(cpus), "processor", "processors")))
	}
	for i := range p.processes {
		x := &p.processes[i]
		if x.Wait == WaitAuto {
			x.Wait = WaitSpinBlock
			if users[x.Processor] > 1 || x.Processor < 0 || p.hosts != nil { // the carriers of its edges also run there
				x.Wait = WaitBlock
			}
		}
	}
}
