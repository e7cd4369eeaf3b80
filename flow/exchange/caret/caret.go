// Package caret reads ROS 2 applications that CARET traced with LTTng. It reads callbacks and topics from CARET's
// architecture file, and durations of callbacks from stats_node.yaml of caret_report.
package caret

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"xopt/flow"
	"xopt/flow/exchange/timed"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Core is the name of the resource of all callbacks.
const Core = "core"

const (
	maxBytes    = 16 << 20
	maxName     = 200
	maxListed   = 4 // topics in a note
	msPerSecond = 1e3
	// oneThread is the type of executors that run one callback at a time.
	oneThread = "single_threaded_executor"
)

// IsArchitecture reports whether a text is an architecture file.
func IsArchitecture(text []byte) bool {
	return regexp.MustCompile(`(?m)^executors:`).Match(text) && regexp.MustCompile(`(?m)^nodes:`).Match(text)
}

// IsStatistics reports whether a text contains statistics of callbacks.
func IsStatistics(text []byte) bool {
	return regexp.MustCompile(`(?m)^  callbacks:`).Match(text) && regexp.MustCompile(`(?m)^      Latency:`).Match(text)
}

type architecture struct {
	Executors []executor `yaml:"executors"`
	Nodes     []node     `yaml:"nodes"`
}

type executor struct {
	Type   string   `yaml:"executor_type"`
	Name   string   `yaml:"executor_name"`
	Groups []string `yaml:"callback_group_names"`
}

type node struct {
	Groups    []group    `yaml:"callback_groups"`
	Callbacks []callback `yaml:"callbacks"`
	Publishes []topic    `yaml:"publishes"`
}

type group struct {
	Name      string   `yaml:"callback_group_name"`
	Callbacks []string `yaml:"callback_names"`
}

type callback struct {
	Name  string `yaml:"callback_name"`
	Topic string `yaml:"topic_name"` // topic that the callback reads; "" for timers and services
}

type topic struct {
	Name      string   `yaml:"topic_name"`
	Callbacks []string `yaml:"callback_names"`
}

// statistics contains the statistics of a callback.
type statistics struct {
	Latency struct {
		Mean      string `yaml:"avg"` // mean in ms; "---" if the trace contains no call
		Deviation string `yaml:"std"`
	} `yaml:"Latency"`
}

// decode parses a YAML text, up to maxBytes.
func decode(id fault.ID, name string, text []byte, to any) error {
	if len(text) > maxBytes {
		return faults.ImportTooLarge.Errorf("%s is larger than %s", name, units.Size(maxBytes))
	}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(to); err != nil {
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n")
		return id.Errorf("%s: %.200s (expected a file of CARET)", name, strings.TrimPrefix(message, "yaml: "))
	}
	return nil
}

// Read reads an architecture file. name is the file name for errors. Callbacks become kernels, topics become edges, and
// executors become cores.
func Read(name string, text []byte) (*timed.Graph, error) {
	var a architecture
	if err := decode(faults.WrongGraphFile, name, text, &a); err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	g := &timed.Graph{Name: "ros", File: name, Place: func(ids ...string) string {
		i := slices.IndexFunc(lines, func(line string) bool { return len(ids) > 0 && strings.Contains(line, ids[0]) })
		if i < 0 {
			return name
		}
		return fmt.Sprintf("%s:%d", name, i+1)
	}}
	index := make(map[string]int)
	for _, n := range a.Nodes {
		for _, c := range n.Callbacks {
			_, ok := index[c.Name]
			if ok || c.Name == "" || len(c.Name) > maxName || strings.ContainsFunc(c.Name, unicode.IsControl) {
				return nil, faults.WrongGraphFile.Errorf("%s: callback %.60q: expected a different callback_name of "+
					"at most %d characters for each callback", g.Place(c.Name), c.Name, maxName)
			}
			index[c.Name] = len(g.Kernels)
			g.Kernels = append(g.Kernels, timed.Kernel{Name: c.Name, Times: make(map[string]timed.Time)})
		}
	}
	a.topics(g, index)
	a.cores(g, index)
	return g, nil
}

// topics adds an edge from the callback that publishes a topic to each callback that subscribes to this topic.
func (a *architecture) topics(g *timed.Graph, index map[string]int) {
	readers, writers := make(map[string][]int), make(map[string]int)
	for _, n := range a.Nodes {
		for _, c := range n.Callbacks {
			if c.Topic != "" {
				readers[c.Topic] = append(readers[c.Topic], index[c.Name])
			}
		}
		for _, p := range n.Publishes {
			writers[p.Name] += len(p.Callbacks)
		}
	}
	var omitted []string
	for _, n := range a.Nodes {
		for _, p := range n.Publishes {
			for _, callback := range p.Callbacks {
				from, ok := index[callback]
				if (!ok || writers[p.Name] > 1) && len(readers[p.Name]) > 0 {
					omitted = append(omitted, p.Name)
					delete(readers, p.Name)
				}
				port := path.Base(p.Name)
				for _, to := range readers[p.Name] {
					g.Edges = append(g.Edges, timed.Edge{Name: p.Name, From: from, To: to, FromPort: port,
						ToPort: port, Emits: 1, Consumes: 1, Bytes: 1})
				}
			}
		}
	}
	if len(omitted) > 0 {
		g.Notes = append(g.Notes, faults.LeftOut.Notef("%s: xopt omits topics with an UNDEFINED publisher or with "+
			"several publishers (state one callback in callback_names): %s", g.File,
			strings.Join(units.First(omitted, maxListed, "and %d more"), ", ")))
	}
	g.Notes = append(g.Notes, faults.SizesAssumed.Notef("CARET records no message sizes: xopt assumes 1 byte, and "+
		"that each call publishes one message on each topic. Timers call as often as they can"))
}

// cores maps the callbacks of each single-threaded executor to one core. It maps each callback group of other executors
// to one core.
func (a *architecture) cores(g *timed.Graph, index map[string]int) {
	executors := make(map[string]string) // by callback group
	for _, e := range a.Executors {
		for _, group := range e.Groups {
			if e.Type == oneThread {
				executors[group] = e.Name
			}
		}
	}
	linked := make(map[int]bool)
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	cores := make(map[string]int)
	for _, n := range a.Nodes {
		for _, group := range n.Groups {
			host := cmp.Or(executors[group.Name], group.Name)
			for _, callback := range group.Callbacks {
				k, ok := index[callback]
				if !ok || !linked[k] {
					continue
				}
				if cores[host] == 0 {
					cores[host] = len(cores) + 1
				}
				g.Kernels[k].Host = fmt.Sprintf("%s[%d]", Core, cores[host])
			}
		}
	}
}

// ReadStatistics adds the mean durations of callbacks and their variation.
func ReadStatistics(g *timed.Graph, name string, text []byte) error {
	var nodes map[string]struct {
		Callbacks map[string]statistics `yaml:"callbacks"`
	}
	if err := decode(faults.WrongImportedTimes, name, text, &nodes); err != nil {
		return err
	}
	all, found := make(map[string]statistics), false
	for _, n := range nodes {
		maps.Copy(all, n.Callbacks)
	}
	for k := range g.Kernels {
		c, ok := all[g.Kernels[k].Name]
		found = found || ok
		if strings.Trim(c.Latency.Mean, "-") == "" {
			continue
		}
		mean, err := strconv.ParseFloat(c.Latency.Mean, 64)
		seconds := mean / msPerSecond
		if err != nil || !timed.IsTime(seconds) {
			return faults.WrongImportedTimes.Errorf("%s: the mean latency of %s is %.60q, expected 0, or a time from "+
				"%g to %g in ms", name, g.Kernels[k].Name, c.Latency.Mean, msPerSecond*timed.MinSeconds,
				msPerSecond*timed.MaxSeconds)
		}
		t := timed.Time{Seconds: seconds, SCV: math.NaN(), From: timed.Imported("measured", name)}
		deviation, err := strconv.ParseFloat(c.Latency.Deviation, 64)
		if scv := deviation / mean * (deviation / mean); err == nil && scv >= 0 && scv <= flow.MaxSCV {
			t.SCV = scv
		}
		g.Resource(Core)
		g.Kernels[k].Times[Core] = t
	}
	if !found {
		return faults.WrongImportedTimes.Errorf("%s contains no callback of %s (add the statistics of the nodes "+
			"in %[2]s)", name, g.File)
	}
	return nil
}
