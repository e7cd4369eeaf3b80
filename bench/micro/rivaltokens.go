package micro

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xopt/deploy/program"
	"xopt/flow/xlang"
	"xopt/internal/files/generated"
	"xopt/internal/release"
)

// tokensFiles contains the C runtime that executes kernels on the data of tokens.
//
//go:embed rivals/tokens
var tokensFiles embed.FS

// tokenGraph contains the values for the template graph.h.tmpl.
type tokenGraph struct {
	Version string
	Blocks  []string
	Kernels []tokenKernel
}

// tokenKernel is a kernel in a tokenGraph. Kernels are in topological order.
type tokenKernel struct {
	Name, Block             string // Name is a C string literal
	Source, Stateless, Once bool
	Configs                 []tokenConfig
	Ports                   []tokenPort
	Inputs                  []tokenInput
	Outputs                 []int // bytes per element of each output
}

type tokenConfig struct{ Name, Value string }

// tokenPort is a port or an array of ports.
type tokenPort struct {
	Way, Name    string // Way is in or out
	First, Count int    // First is the index among the ports of one direction
	IsArray      bool
}

// tokenInput is the source of an input port: the index of an output among all outputs of all kernels, and the element
// size in bytes.
type tokenInput struct{ From, Size int }

// writeTokens compiles the kernels of an application for a program that executes them on tokens, and returns the object
// files. Each input must have one edge. The application must have a single source, which sends an endless stream, and
// no loops.
func writeTokens(ctx context.Context, p *xlang.Program, dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	g, err := tokens(p)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"X.h", "tokens.h", "app_tbb.cpp"} {
		text, err := tokensFiles.ReadFile("rivals/tokens/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := generated.Text(tokensFiles, "rivals/tokens/graph.h.tmpl", nil, g)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "graph.h"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	return compileTokens(ctx, p, g.Blocks, dir)
}

// compileTokens writes the headers of blocks, and compiles their sources with the flags for kernels.
func compileTokens(ctx context.Context, p *xlang.Program, blocks []string, dir string) (objects []string, err error) {
	cc, err := program.Compiler()
	if err != nil {
		return nil, err
	}
	for _, block := range blocks {
		header, err := program.Header(p, block)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "X_"+block+".h"), []byte(header), 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, block := range blocks {
		impl := p.Implementation(block, p.Ancestors(p.Resources[0].Platform))
		if impl == nil {
			return nil, fmt.Errorf("block %s has no source for %s", block, p.Resources[0].Platform)
		}
		object := filepath.Join(dir, "k_"+block+".o")
		// The same flags as for kernels; see build.kernelCommand.
		args := slices.Concat(cc[1:], []string{"-std=gnu11", "-O2", "-falign-functions=64", "-I", dir, "-c",
			"-o", object, impl.Source()})
		if out, err := exec.CommandContext(ctx, cc[0], args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("block %s: %w\n%s", block, err, out)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// tokens returns the tokenGraph of an application, or an error if tokens do not support it.
func tokens(p *xlang.Program) (*tokenGraph, error) {
	order, err := inOrder(p)
	if err != nil {
		return nil, err
	}
	g := &tokenGraph{Version: release.Version}
	first, outputs, sources := make([]int, len(p.Kernels)), 0, 0
	for _, k := range order {
		first[k] = outputs
		outputs += len(p.Kernels[k].Outputs)
		if len(p.Kernels[k].Inputs) == 0 && !p.Kernels[k].Once {
			sources++
		}
	}
	if sources != 1 {
		return nil, fmt.Errorf("cannot run the application on tokens: it has %d sources, expected 1 source", sources)
	}
	for _, k := range order {
		kernel := &p.Kernels[k]
		if !slices.Contains(g.Blocks, kernel.Block) {
			g.Blocks = append(g.Blocks, kernel.Block)
		}
		x := tokenKernel{Name: strconv.Quote(kernel.Name), Block: kernel.Block, Source: len(kernel.Inputs) == 0,
			Stateless: kernel.Stateless != nil, Once: kernel.Once, Configs: tokenConfigs(kernel),
			Ports: append(tokenPorts("in", kernel.Inputs), tokenPorts("out", kernel.Outputs)...)}
		for _, port := range kernel.Outputs {
			x.Outputs = append(x.Outputs, int(port.ElementBytes))
		}
		for i := range kernel.Inputs {
			e := slices.IndexFunc(p.Edges, func(e xlang.Edge) bool { return e.To == k && e.ToPort == i })
			if e < 0 {
				return nil, fmt.Errorf("cannot run the application on tokens: input %s.%s is not connected",
					kernel.Name, kernel.Inputs[i].Name)
			}
			edge := &p.Edges[e]
			x.Inputs = append(x.Inputs, tokenInput{first[edge.From] + edge.FromPort,
				int(kernel.Inputs[i].ElementBytes)})
		}
		g.Kernels = append(g.Kernels, x)
	}
	return g, nil
}

// inOrder returns the kernels in topological order.
func inOrder(p *xlang.Program) ([]int, error) {
	waits := make([]int, len(p.Kernels))
	ports := make(map[[2]int]bool)
	for _, e := range p.Edges {
		if ports[[2]int{e.To, e.ToPort}] {
			return nil, fmt.Errorf("cannot run the application on tokens: input %s.%s has several edges",
				p.Kernels[e.To].Name, p.Kernels[e.To].Inputs[e.ToPort].Name)
		}
		ports[[2]int{e.To, e.ToPort}] = true
		waits[e.To]++
	}
	var order []int
	for len(order) < len(p.Kernels) {
		k := slices.IndexFunc(waits, func(n int) bool { return n == 0 })
		if k < 0 {
			return nil, errors.New("cannot run the application on tokens: it contains a loop")
		}
		waits[k] = -1
		order = append(order, k)
		for _, e := range p.Edges {
			if e.From == k {
				waits[e.To]--
			}
		}
	}
	return order, nil
}

// tokenConfigs returns the configs of a kernel as C expressions. Command-line options override some configs of sources
// and sinks.
func tokenConfigs(k *xlang.Kernel) (list []tokenConfig) {
	for name, v := range k.Config {
		value := program.ConfigValue(v)
		switch {
		case len(k.Inputs) == 0 && (name == "elements" || name == "input"), len(k.Outputs) == 0 && name == "output":
			value = "said." + name
		}
		list = append(list, tokenConfig{name, value})
	}
	slices.SortFunc(list, func(a, b tokenConfig) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// tokenPorts returns the ports of one direction. An array is one tokenPort.
func tokenPorts(way string, ports []xlang.Port) (list []tokenPort) {
	for i, port := range ports {
		base, _, isArray := strings.Cut(port.Name, "[")
		if n := len(list); n > 0 && list[n-1].Name == base {
			list[n-1].Count++
			continue
		}
		list = append(list, tokenPort{way, base, i, 1, isArray})
	}
	return list
}
