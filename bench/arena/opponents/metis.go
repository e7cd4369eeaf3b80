package opponents

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/bench/arena"
)

// METIS partitions the graph with gpmetis (Karypis and Kumar, Multilevel k-way Partitioning Scheme for Irregular
// Graphs, 1998). Vertex weights are the mean times of units, edge weights are bytes, and target weights are the speeds
// of cores. METIS moves units from cores that cannot run them, by the rule of [HEFT]. It tries both algorithms of
// gpmetis with several imbalance limits for each division into units, and returns the best placement. The error wraps
// [arena.ErrNotApplicable] if gpmetis is not installed.
func METIS(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
	if _, err := exec.LookPath("gpmetis"); err != nil {
		return nil, fmt.Errorf("gpmetis not found (Debian: apt-get install metis): %w", arena.ErrNotApplicable)
	}
	divisions, err := splits(p)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "xopt-metis-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for gpmetis: %w", err)
	}
	defer os.RemoveAll(dir)
	b := newBest(p)
	for i := range divisions {
		m := &metis{units: &divisions[i], dir: dir}
		if err := m.write(); err != nil {
			return nil, err
		}
		for _, algorithm := range []string{"kway", "rb"} {
			for _, imbalance := range []int{1, 30, 200, 1000} { // thousandths; 1 and 30 are the defaults
				if ctx.Err() != nil {
					return b.result(ctx)
				}
				parts, err := m.run(ctx, "-ptype="+algorithm, "-ufactor="+strconv.Itoa(imbalance),
					"-seed="+strconv.Itoa(int(seed%math.MaxInt32)))
				if err != nil && ctx.Err() == nil {
					return nil, fmt.Errorf("problem %s: %w", p.Name, err)
				} else if err == nil {
					b.offer(m.place(nil, m.repair(parts)))
				}
			}
		}
	}
	return b.result(ctx)
}

// metis is a graph of units for gpmetis.
type metis struct {
	*units
	dir string
}

// metisTotal is the sum of all vertex weights, and of all edge weights, in a file for gpmetis, which reads only
// integers. tiny replaces a sum of 0.
const (
	metisTotal = 1e7
	tiny       = 1e-30
)

// write writes the input files of gpmetis: the graph and the target weights of the cores.
func (m *metis) write() error {
	speeds, total, weights := make([]float64, len(m.p.Cores)), tiny, make([]float64, len(m.all))
	for i, x := range m.all {
		for _, c := range m.cores(i) {
			weights[i] += m.units.work(i, c) / float64(len(m.cores(i)))
		}
		total += weights[i]
		for _, c := range m.cores(i) {
			if w := work(m.p, x.task, c); w > 0 {
				speeds[c] += weights[i] * weights[i] / (x.part * w) // mean speed of the core, weighted by the units
			}
		}
	}
	speed := 0.0
	for c := range speeds {
		speeds[c] = max(speeds[c], total*1e-3) // gpmetis does not accept 0
		speed += speeds[c]
	}
	var targets strings.Builder
	for c, s := range speeds {
		fmt.Fprintf(&targets, "%d = %.9f\n", c, s/speed)
	}
	edges, bytes := m.edges()
	number := 0
	var graph strings.Builder
	for i := range m.all {
		fmt.Fprintf(&graph, "%d", max(1, int(weights[i]/total*metisTotal)))
		for _, j := range slices.Sorted(maps.Keys(edges[i])) {
			fmt.Fprintf(&graph, " %d %d", j+1, max(1, int(edges[i][j]/max(bytes, tiny)*metisTotal)))
			number++
		}
		graph.WriteString("\n")
	}
	head := fmt.Sprintf("%d %d 011\n", len(m.all), number/2)
	for name, text := range map[string]string{"graph": head + graph.String(), "targets": targets.String()} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing a graph for gpmetis: %w", err)
		}
	}
	return nil
}

// edges returns the bytes between each unit and its neighbors, and the total bytes of all edges. The units of a task
// divide its bytes equally.
func (m *metis) edges() (bytes []map[int]float64, total float64) {
	of := make([][]int, len(m.p.Tasks))
	bytes = make([]map[int]float64, len(m.all))
	for i, x := range m.all {
		of[x.task] = append(of[x.task], i)
		bytes[i] = make(map[int]float64)
	}
	for _, e := range m.p.Edges {
		if e.From == e.To {
			continue
		}
		total += e.Bytes
		for _, i := range of[e.From] {
			for _, j := range of[e.To] {
				b := e.Bytes * m.all[i].part * m.all[j].part
				bytes[i][j] += b
				bytes[j][i] += b
			}
		}
	}
	return bytes, total
}

// run runs gpmetis, and returns the core of each unit.
func (m *metis) run(ctx context.Context, options ...string) ([]int, error) {
	parts := make([]int, len(m.all))
	if len(m.p.Cores) == 1 {
		return parts, nil // gpmetis does not accept a single part
	}
	number := strconv.Itoa(len(m.p.Cores))
	cmd := exec.CommandContext(ctx, "gpmetis", append(options, "-tpwgts=targets", "graph", number)...)
	cmd.Dir, cmd.WaitDelay = m.dir, time.Second
	output, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("gpmetis failed (%w); its last output is %q", err, output[max(0, len(output)-200):])
	}
	text, err := os.ReadFile(filepath.Join(m.dir, "graph.part."+number))
	if err != nil {
		return nil, fmt.Errorf("reading the partition of gpmetis: %w", err)
	}
	fields := strings.Fields(string(text))
	if len(fields) != len(parts) {
		return nil, fmt.Errorf("gpmetis wrote parts for %d units, expected %d units", len(fields), len(parts))
	}
	for i, s := range fields {
		if parts[i], err = strconv.Atoi(s); err != nil || parts[i] < 0 || parts[i] >= len(m.p.Cores) {
			return nil, fmt.Errorf("gpmetis wrote the part %q, expected a number below %s", s, number)
		}
	}
	return parts, nil
}

// repair moves the units from cores that cannot run them, like a list scheduler.
func (m *metis) repair(cores []int) []int {
	l := newLister(m.p, m.units)
	var homeless []int
	for i, c := range cores {
		if l.cores[i] = c; math.IsInf(m.units.work(i, c), 1) {
			homeless = append(homeless, i)
		} else {
			l.set(i, c)
		}
	}
	for _, i := range homeless {
		l.put(i)
	}
	return l.cores
}
