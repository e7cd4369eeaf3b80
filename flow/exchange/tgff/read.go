package tgff

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// These constants limit the memory that a file can use.
const (
	maxTasks = 100_000
	maxName  = 200
)

// Read reads a .tgff file and skips attributes of processing elements. Errors contain the line number.
func Read(name string, r io.Reader) (*File, error) {
	p := parser{name: name, lines: bufio.NewScanner(r)}
	p.lines.Buffer(nil, 1<<20)
	for p.next() {
		switch head := strings.ToUpper(p.words[0]); {
		case head == "@TASK_GRAPH":
			p.graph()
		case strings.HasPrefix(head, "@") && p.opens():
			p.table()
		case strings.HasPrefix(head, "@"): // @HYPERPERIOD 300
		default:
			p.failf("found %.60q outside of any block, expected @TASK_GRAPH or a table such as @PE", p.words[0])
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(p.file.Graphs) == 0 {
		return nil, faults.WrongTGFFFile.Errorf("%s contains no @TASK_GRAPH", name)
	}
	return &p.file, nil
}

type parser struct {
	name    string
	lines   *bufio.Scanner
	line    int
	words   []string
	comment []string // words of the last comment
	file    File
	err     error
}

func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = faults.WrongTGFFFile.Errorf("%s:%d: %s", p.name, p.line, fmt.Sprintf(format, args...))
	}
}

// next advances to the next non-empty line, without its comment.
func (p *parser) next() bool {
	for p.lines.Scan() {
		p.line++
		text, comment, has := strings.Cut(p.lines.Text(), "#")
		if words := strings.Fields(strings.Trim(comment, "#-= \t")); has && len(words) > 0 {
			p.comment = words
		}
		if p.words = strings.Fields(text); len(p.words) > 0 {
			return true
		}
	}
	return false
}

// opens reports whether the line opens a block.
func (p *parser) opens() bool { return p.words[len(p.words)-1] == "{" }

// id returns the number of a block.
func (p *parser) id() int {
	if len(p.words) < 3 || !p.opens() {
		p.failf("expected %.60s NUMBER {", p.words[0])
		return 0
	}
	n, err := strconv.Atoi(p.words[1])
	if err != nil {
		p.failf("the number of %.60s is %.60q, expected a whole number", p.words[0], p.words[1])
	}
	return n
}

// after returns the word that follows a keyword.
func (p *parser) after(keyword string) string {
	for i := 2; i+1 < len(p.words); i++ { // start after the name
		if strings.EqualFold(p.words[i], keyword) {
			return p.words[i+1]
		}
	}
	p.failf("%s has no %s", p.words[0], keyword)
	return ""
}

func (p *parser) kind() int {
	word := p.after("TYPE")
	if p.err != nil {
		return 0
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		p.failf("the type is %.60q, expected a whole number of at least 0", word)
	}
	return n
}

// time returns a time in the file's unit.
func (p *parser) time(word string) float64 {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		p.failf("the time is %.60q, expected a number of at least 0", word)
		return 0
	}
	return v
}

func (p *parser) graph() {
	g := Graph{ID: p.id()}
	named := make(map[string]int)
	task := func(keyword string) int {
		name := p.after(keyword)
		i, ok := named[name]
		if !ok {
			p.failf("no task %.60q is declared above this line", name)
		}
		return i
	}
	for p.err == nil {
		if !p.next() {
			p.failf("the file ends within task graph %d", g.ID)
			return
		}
		switch strings.ToUpper(p.words[0]) {
		case "}":
			if err := g.check(); err != nil {
				p.failf("%v", err)
				return
			}
			p.file.Graphs = append(p.file.Graphs, g)
			return
		case "TASK":
			if len(p.words) < 4 {
				p.failf("expected TASK NAME TYPE NUMBER")
				return
			}
			name := p.words[1]
			p.fits("a task", name)
			if _, ok := named[name]; ok {
				p.failf("two tasks are named %s", name)
			}
			if len(g.Tasks) == maxTasks {
				p.failf("task graph %d has more than %d tasks", g.ID, maxTasks)
			}
			named[name] = len(g.Tasks)
			g.Tasks = append(g.Tasks, Task{Name: name, Type: p.kind()})
		case "ARC":
			if len(p.words) < 2 {
				p.failf("expected ARC NAME FROM TASK TO TASK TYPE NUMBER")
				return
			}
			p.fits("an arc", p.words[1])
			g.Arcs = append(g.Arcs, Arc{Name: p.words[1], From: task("FROM"), To: task("TO"), Type: p.kind()})
		case "PERIOD":
			if len(p.words) < 2 {
				p.failf("expected PERIOD NUMBER")
				return
			}
			g.Period = p.time(p.words[1])
		case "HARD_DEADLINE", "SOFT_DEADLINE": // NAME ON TASK AT TIME
			if len(p.words) < 6 {
				p.failf("expected %s NAME ON TASK AT NUMBER", p.words[0])
				return
			}
			p.fits("a deadline", p.words[1])
			g.Deadlines = append(g.Deadlines, Deadline{p.words[1], task("ON"), p.time(p.after("AT"))})
		default: // APERIODIC
		}
	}
}

func (p *parser) table() {
	t := Table{Name: strings.TrimPrefix(strings.ToUpper(p.words[0]), "@"), ID: p.id()}
	p.fits("a table", t.Name)
	p.comment = nil
	for p.err == nil {
		if !p.next() {
			p.failf("the file ends within @%s %d", t.Name, t.ID)
			return
		}
		if p.words[0] == "}" {
			p.finish(&t)
			return
		}
		// The rows before this heading are attributes of the table.
		if len(p.comment) > 0 && strings.EqualFold(p.comment[0], "type") && t.Columns == nil {
			t.Columns = p.comment
			t.Rows = nil
		}
		row := make([]float64, len(p.words))
		for i, w := range p.words {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				p.failf("found %.60q in a table, expected a number", w)
				return
			}
			row[i] = v
		}
		t.Rows = append(t.Rows, row)
	}
}

// fits records an error if a name is too long for X.
func (p *parser) fits(what, name string) {
	if len(name) > maxName {
		p.failf("the name of %s has %d characters, expected at most %d: %.60q…", what, len(name), maxName, name)
	}
}

// finish adds a table. In a table with two columns and no heading, the first column is the type, and the second column
// is a value with the table's name.
func (p *parser) finish(t *Table) {
	if t.Columns == nil {
		if slices.ContainsFunc(t.Rows, func(row []float64) bool { return len(row) != 2 }) {
			return // the columns are unknown
		}
		t.Columns = []string{"type", strings.ToLower(t.Name)}
	}
	for i := range t.Columns {
		t.Columns[i] = strings.ToLower(t.Columns[i])
	}
	p.file.Tables = append(p.file.Tables, *t)
}
