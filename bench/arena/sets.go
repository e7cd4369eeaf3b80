package arena

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// shipped contains the sets whose licenses permit redistribution. Their notices are in data/NOTICES.md.
//
//go:embed data/*.json
var shipped embed.FS

// Shipped returns the names of the sets that are part of xbench.
func Shipped() []string { return []string{"dvbs2-amp", "amp-chains", "csdf-tue", "farsi", "dagbench"} }

// Downloaded returns the names of the sets that users must download, because their licenses do not permit
// redistribution.
func Downloaded() []string { return []string{"sdf3", "csdf-kiter", "preesm", "amp-chains-all"} }

// ErrNoTimes reports that a set has no times of tasks.
var ErrNoTimes = errors.New("the tasks of this set have no times (choose another set)")

// set is the content of a set's file: graphs, with their source and license.
type set struct {
	Set       string
	Source    string
	License   string
	Rows      []chainRow // short form of chains
	Instances []entry
}

// entry is a graph in a set's file.
type entry struct {
	Name      string
	Machine   json.RawMessage
	Tasks     []taskEntry
	Edges     []edgeEntry
	Published struct{ Value float64 }
	Timing    string // in preesm: the actors that have times, such as "every actor"
	Limit     struct {
		Cycles *float64 `json:"cycles_per_iteration"`
	} `json:"period_no_resource_limit"`
}

type taskEntry struct {
	Name       string
	Kind       string // "" or "actor" for tasks with a time
	Time       map[string]float64
	Cycles     map[string]phases
	Work       float64
	Stateless  *bool
	Repetition int64 // number of cycles of all phases in an iteration; 0 means 1
	Phases     int64 // number of firings in a cycle; 0 means 1
}

type edgeEntry struct {
	From, To string
	Out      phases `json:"tokens_out"`
	In       phases `json:"tokens_in"`
	Initial  int64
	Bytes    float64 // per token
	Size     float64
}

// chainRow is a chain in short form: times on big and little cores, flags of stateless tasks, and published periods for
// 16+4, 10+10 and 4+16 cores. Times and periods are in units of the set.
type chainRow struct {
	Seed        int
	Ratio       float64
	Big, Little []float64
	Stateless   string
	Published   [3]float64
}

// UnmarshalJSON reads a row from a JSON array of its fields, in the order of the struct.
func (c *chainRow) UnmarshalJSON(b []byte) error {
	fields := []any{&c.Seed, &c.Ratio, &c.Big, &c.Little, &c.Stateless, &c.Published}
	n := len(fields)
	if err := json.Unmarshal(b, &fields); err != nil {
		return fmt.Errorf("reading a chain: %w", err)
	}
	if len(fields) != n || len(c.Big) != len(c.Little) || len(c.Big) != len(c.Stateless) {
		return fmt.Errorf("a chain has %d fields, %d and %d times, and %d flags (expected %d fields, and equal "+
			"numbers of times and flags)", len(fields), len(c.Big), len(c.Little), len(c.Stateless), n)
	}
	return nil
}

// phases contains a number, such as a time or a number of tokens, for each phase of a task's cycle, in order. A single
// number applies to all phases.
type phases []float64

// UnmarshalJSON reads a number, or text such as "4,3*2", which means 4, 2, 2, 2.
func (p *phases) UnmarshalJSON(b []byte) error {
	var list string
	if json.Unmarshal(b, &list) != nil {
		list = string(b)
	}
	for _, item := range strings.Split(list, ",") {
		count, value, repeats := strings.Cut(item, "*")
		if !repeats {
			count, value = "1", item
		}
		n, err1 := strconv.Atoi(count)
		x, err2 := strconv.ParseFloat(value, 64)
		if err := errors.Join(err1, err2); err != nil || n < 1 || n > 1<<20 || x < 0 || math.IsInf(x, 0) || x != x {
			return fmt.Errorf("reading phases %q: expected numbers such as 4,3*2", item)
		}
		for range n {
			*p = append(*p, x)
		}
	}
	return nil
}

// at returns the number for a firing; phase is the index of the firing, from 0. Without phases, it returns 1.
func (p phases) at(phase int64) float64 {
	if len(p) == 0 {
		return 1
	}
	return p[phase%int64(len(p))]
}

// sum returns the total over n firings; 0 without phases.
func (p phases) sum(n int64) float64 {
	if len(p) == 0 {
		return 0
	}
	cycle, rest := 0.0, 0.0
	for i, x := range p {
		cycle += x
		if int64(i) < n%int64(len(p)) {
			rest += x
		}
	}
	return cycle*float64(n/int64(len(p))) + rest
}

// firings returns the number of firings in an iteration.
func (t *taskEntry) firings() int64 { return max(t.Repetition, 1) * max(t.Phases, 1) }

// readSet reads the set with the given name from NAME.json in folder or, if folder is "", from the shipped sets.
func readSet(name, folder string) (*set, error) {
	var files fs.FS = shipped
	file := path.Join("data", name+".json")
	if folder != "" {
		files, file = os.DirFS(folder), name+".json"
	}
	b, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, fmt.Errorf("reading the set %s: %w", name, err)
	}
	s := &set{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("reading the set %s: %w", name, err)
	}
	if s.Set == "streamit-laminarir" {
		return nil, fmt.Errorf("%s: %w", name, ErrNoTimes)
	}
	return s, nil
}
