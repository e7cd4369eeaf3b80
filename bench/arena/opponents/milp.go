package opponents

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"xopt/bench/arena"
	"xopt/mapper/solvers"
)

// MILP solves the exact mixed-integer program with CBC or HiGHS. A task that is not replicable uses one core.
// Replicable tasks may have any shares on any cores. Constraints exclude placements that differ only in the order of
// equal cores. MILP also returns a lower bound of the period in seconds, 0 if unknown, which is valid even if MILP
// returns an error. The solver runs until the deadline of ctx. It starts without a solution, and ignores the seed. The
// error wraps [arena.ErrNotApplicable] if no solver is installed.
func MILP(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, float64, error) {
	return milp(ctx, p, len(p.Cores))
}

// MILPOn is like [MILP], but uses at most the given number of cores. It returns no bound.
func MILPOn(ctx context.Context, p *arena.Problem, cores int) (arena.Placement, error) {
	placement, _, err := milp(ctx, p, cores)
	return placement, err
}

func milp(ctx context.Context, p *arena.Problem, maxCores int) (arena.Placement, float64, error) {
	name := ""
	for _, s := range []string{"cbc", "highs"} {
		if solvers.Find(s) == nil {
			name = s
		}
	}
	if name == "" {
		return nil, 0, fmt.Errorf("no solver found (Debian: apt-get install coinor-cbc): %w", arena.ErrNotApplicable)
	}
	cores, err := allowed(p)
	if err != nil {
		return nil, 0, err
	}
	inside := time.Duration(0)
	if deadline, ok := ctx.Deadline(); ok {
		inside = max(time.Until(deadline), time.Nanosecond)
	}
	m := newModel(p, cores)
	if maxCores < len(p.Cores) {
		m.limit(maxCores)
	}
	a, err := solvers.Solve(ctx, name, m.write, inside, 1)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("MILP on problem %s: %w", p.Name, err)
	case a.Infeasible:
		return nil, 0, fmt.Errorf("MILP on problem %s: %s found that no placement is possible", p.Name, name)
	}
	bound := 0.0
	if a.Bound > 0 {
		bound = a.Bound / objectiveScale * m.unit * (1 - rowTolerance)
	}
	if a.Values == nil {
		return nil, bound, fmt.Errorf("MILP on problem %s: %w", p.Name, errors.Join(errNoPoint, ctx.Err()))
	}
	b := newBest(p)
	b.offer(m.placement(a.Values))
	placement, err := b.result(ctx)
	return placement, bound, err
}

var errNoPoint = errors.New("the solver found no placement before the time limit")

// objectiveScale is the objective value for a period of one unit of the model. It is large because solvers print few
// digits. rowTolerance is the relative error of constraints that solvers permit.
const (
	objectiveScale = 1e5
	rowTolerance   = 1e-6
)

// model is a mixed-integer program in MPS format. It minimizes P, the period. The column x_T_C is the part of task T on
// core C. It is binary if the task is not replicable. The column m_E_C is the part of edge E that stays on core C.
type model struct {
	p       *arena.Problem
	unit    float64 // s, the period of LPT's placement
	cores   [][]int // permitted cores by task
	rows    []string
	right   map[string]float64 // right-hand sides, by name of row
	columns []string
	entries map[string][]string // lines of each column
}

// newModel returns the mixed-integer program of a problem. cores contains the cores that can run each task.
func newModel(p *arena.Problem, cores [][]int) *model {
	m := &model{p: p, cores: numbered(p, cores), right: make(map[string]float64), entries: make(map[string][]string)}
	if placement, err := LPT(context.Background(), p, 0); err == nil {
		m.unit = p.Period(placement)
	}
	if m.unit == 0 {
		m.unit = 1
	}
	m.add("N cost", "P", objectiveScale)
	for t := range p.Tasks {
		for _, c := range m.cores[t] {
			m.add(fmt.Sprintf("E task%d", t), part(t, c), 1)
			m.add(fmt.Sprintf("L core%d", c), part(t, c), work(p, t, c)/m.unit)
		}
		m.right[fmt.Sprintf("task%d", t)] = 1
	}
	for c := range p.Cores {
		m.add(fmt.Sprintf("L core%d", c), "P", -1)
	}
	if p.Bus > 0 {
		m.addBus()
	}
	return m
}

// numbered restricts the allowed cores of tasks, to exclude placements that differ only in the order of equal cores.
// The nth task that is not replicable may use only the first n cores of each kind.
func numbered(p *arena.Problem, allowed [][]int) [][]int {
	cores, before := slices.Clone(allowed), make([]int, len(p.Kinds))
	order := make([]int, 0, len(p.Tasks))
	for t := range p.Tasks {
		if !p.Tasks[t].Replicable {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(minWork(p, b, allowed[b]), minWork(p, a, allowed[a]))
	})
	for _, t := range order {
		cores[t] = nil
		number := make([]int, len(p.Kinds))
		for _, c := range allowed[t] {
			k := p.Cores[c]
			if number[k] <= before[k] {
				cores[t] = append(cores[t], c)
			}
			number[k]++
		}
		for k := range number {
			if number[k] > 0 {
				before[k]++
			}
		}
	}
	return cores
}

// addBus adds the row that limits the load of the bus: the bytes of all edges, minus the parts that stay on a core.
func (m *model) addBus() {
	capacity, total := m.p.Bus*m.unit, 0.0
	for e, edge := range m.p.Edges {
		total += edge.Bytes
		for _, c := range m.cores[edge.From] {
			if edge.Bytes == 0 || !slices.Contains(m.cores[edge.To], c) {
				continue
			}
			stays := fmt.Sprintf("m_%d_%d", e, c)
			m.add("L bus", stays, -edge.Bytes/capacity)
			for until, t := range []int{edge.From, edge.To} {
				row := fmt.Sprintf("L stay%d_%d_%d", e, c, until)
				m.add(row, stays, 1)
				m.add(row, part(t, c), -1)
			}
		}
	}
	m.add("L bus", "P", -1)
	m.right["bus"] = -total / capacity
}

// limit adds the rows that limit the number of cores in use. The binary column u_C is 1 if core C is in use.
func (m *model) limit(maximum int) {
	for t := range m.cores {
		for _, c := range m.cores[t] {
			row, use := fmt.Sprintf("L use%d_%d", t, c), fmt.Sprintf("u_%d", c)
			if m.entries[use] == nil {
				m.add("L cores", use, 1)
			}
			m.add(row, part(t, c), 1)
			m.add(row, use, -1)
		}
	}
	m.right["cores"] = float64(maximum)
}

// part returns the name of the column of task t on core c.
func part(t, c int) string { return fmt.Sprintf("x_%d_%d", t, c) }

// add adds a coefficient of a row and a column. row contains the kind and the name of the row, such as "L bus".
func (m *model) add(row, column string, value float64) {
	_, name, _ := strings.Cut(row, " ")
	if _, ok := m.right[name]; !ok {
		m.rows, m.right[name] = append(m.rows, row), 0
	}
	if m.entries[column] == nil {
		m.columns = append(m.columns, column)
	}
	m.entries[column] = append(m.entries[column], fmt.Sprintf(" %s %s %.17g\n", column, name, value))
}

// write writes the program in free MPS format. The binary column Z, which is in no row, makes every program a
// mixed-integer program, because CBC prints the results of linear programs in another form.
func (m *model) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("NAME placement FREE\nROWS\n")
	for _, row := range m.rows {
		fmt.Fprintf(b, " %s\n", row)
	}
	b.WriteString("COLUMNS\n")
	var binary []string
	for _, column := range m.columns {
		var t, c int
		if n, _ := fmt.Sscanf(column, "x_%d_%d", &t, &c); n == 2 && !m.p.Tasks[t].Replicable || column[0] == 'u' {
			binary = append(binary, column)
			continue
		}
		b.WriteString(strings.Join(m.entries[column], ""))
	}
	b.WriteString(" M1 'MARKER' 'INTORG'\n Z cost 1e-9\n")
	for _, column := range binary {
		b.WriteString(strings.Join(m.entries[column], ""))
	}
	b.WriteString(" M2 'MARKER' 'INTEND'\nRHS\n")
	for _, row := range m.rows {
		if _, name, _ := strings.Cut(row, " "); m.right[name] != 0 {
			fmt.Fprintf(b, " RHS %s %.17g\n", name, m.right[name])
		}
	}
	fmt.Fprintf(b, "BOUNDS\n LO BND P %.17g\n UP BND Z 1\n", m.p.Cycle/m.unit)
	for _, column := range binary {
		fmt.Fprintf(b, " UP BND %s 1\n", column)
	}
	b.WriteString("ENDATA\n")
	return b.Flush()
}

// placement converts the solution of a solver to a placement.
func (m *model) placement(point map[string]float64) arena.Placement {
	const minimum = 1e-7 // smaller values are rounding errors of solvers
	placement := make(arena.Placement, len(m.p.Tasks))
	for t := range placement {
		maximum, sum := m.cores[t][0], 0.0
		for _, c := range m.cores[t] {
			v := point[part(t, c)]
			if v > point[part(t, maximum)] {
				maximum = c
			}
			if v > minimum {
				placement[t] = append(placement[t], arena.Share{Core: c, Part: v})
				sum += v
			}
		}
		if !m.p.Tasks[t].Replicable || sum == 0 {
			placement[t] = []arena.Share{{Core: maximum, Part: 1}}
			continue
		}
		for i := range placement[t] {
			placement[t][i].Part /= sum
		}
	}
	return placement
}
