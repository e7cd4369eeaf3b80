package micro

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/bench/apps"
	"xopt/bench/draw/taskgraph"
	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
)

// bufferSubject is an application for [Buffers].
type bufferSubject struct {
	name   string
	files  []string
	unpack func() (dir string, err error)
}

// randomTasks returns the number of tasks in random application i.
func randomTasks(i int) int { return 4 + 4*(i%4) }

// notSized is the application that [Buffers] excludes: its kernels cannot be measured separately, because its sink
// checks a sequence.
const notSized = "ring"

// bufferSubjects returns the requested bundled and random applications.
func bufferSubjects(o BuffersOptions) []bufferSubject {
	var list []bufferSubject
	for _, a := range apps.List() {
		if a.Name == notSized || len(o.Apps) > 0 && !slices.Contains(o.Apps, a.Name) {
			continue
		}
		files := []string{"app.x", "arch.x", "map.x"}
		if a.Name == "synthetic" {
			files[0] = "pipeline.x"
		}
		unpack := func() (string, error) { return apps.Unpack(a.Name) }
		if a.Name == "queue" {
			unpack = onTwoCores(a.Name, queueOnTwo)
		}
		list = append(list, bufferSubject{a.Name, files, unpack})
	}
	for i := range o.Graphs {
		name := fmt.Sprintf("random %d", i+1)
		list = append(list, bufferSubject{name, []string{"app.x", "arch.x", "map.x"},
			func() (string, error) { return drawSubject(o.Seed+uint64(i), randomTasks(i)) }})
	}
	return list
}

// queueOnTwo maps the application queue to two cores. The mapping in its files uses four cores.
const queueOnTwo = `map { top.feed, top.arrivals } to core[1];
map { top.server, top.record } to core[2];
`

// onTwoCores returns a function that unpacks an application with the given mapping.
func onTwoCores(name, mapping string) func() (dir string, err error) {
	return func() (string, error) {
		dir, err := apps.Unpack(name)
		if err != nil {
			return dir, err
		}
		return dir, os.WriteFile(filepath.Join(dir, "map.x"), []byte(mapping), 0o644)
	}
}

// drawSubject writes a random application to a new folder. The first half of its kernels, in the order of edges, is on
// one core, and the second half is on another core.
func drawSubject(seed uint64, tasks int) (dir string, err error) {
	if dir, err = scratch.Dir("", scratch.Bench); err != nil {
		return "", fmt.Errorf("creating a folder for a random application: %w", err)
	}
	g := taskgraph.Draw(seed, tasks)
	if err := g.Write(dir, taskgraph.Options{Cores: 2}); err != nil {
		return dir, fmt.Errorf("writing a random application: %w", err)
	}
	p, _, err := xlang.Load([]string{filepath.Join(dir, "app.x"), filepath.Join(dir, "arch.x")},
		xlang.Options{Library: configs.Library()})
	if err != nil {
		return dir, err
	}
	var text strings.Builder
	for i := range p.Kernels {
		fmt.Fprintf(&text, "map { %s } to %s;\n", p.Kernels[i].Name, p.Resources[2*i/len(p.Kernels)].Name)
	}
	return dir, os.WriteFile(filepath.Join(dir, "map.x"), []byte(text.String()), 0o644)
}

// design reads the application, without the buffer sizes in its files.
func (s *bufferSubject) design(dir string, o design.Options) (*design.Design, error) {
	var paths []string
	for _, f := range s.files {
		paths = append(paths, filepath.Join(dir, f))
	}
	p, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library()})
	if err != nil {
		return nil, err
	}
	unsized := *p
	unsized.Buffers = nil
	return design.New(&unsized, o)
}
