package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"xopt/calibrate"
	"xopt/configs"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/mapper"
	"xopt/mapper/copies"
)

// rivalModel is the model of a case: the service times of the kernels on one core, and the cost of messages between
// cores.
type rivalModel struct {
	program *xlang.Program
	times   []design.Override
	links   *design.Measured
	// scale is the ratio of the input bytes of the sinks to the output bytes of the sources.
	scale float64
}

// foundName is the name of the mapping from the search.
const foundName = "found by search"

// The search for a mapping of eleven kernels to two cores takes at most searchTime without copies of kernels, and then
// at most copiesTime with copies. It ends earlier with a proof.
const (
	searchTime = 2 * time.Second
	copiesTime = 8 * time.Second
)

// model returns the model of a case. It measures the service time of each kernel, including the work of the process
// between kernels, in a run of all kernels on one core.
func (r *rivalChain) model(ctx context.Context, c *RivalInput) (*rivalModel, error) {
	p, err := r.program(c, r.oneCore())
	if err != nil {
		return nil, err
	}
	d, err := design.New(p, design.Options{Purpose: design.ForDeploy})
	if err != nil {
		return nil, fmt.Errorf("reading the chain: %w", err)
	}
	prog, err := program.New(ctx, d, program.Options{CPUs: 2, Elements: 1 << 60}, "")
	if err != nil {
		return nil, fmt.Errorf("building the chain on one core: %w", err)
	}
	m, err := run.Once(ctx, prog, run.Options{Time: r.o.Window, Frame: r.o.Window / modelFrames})
	if err := errors.Join(err, prog.Remove()); err != nil {
		return nil, fmt.Errorf("running the chain on one core: %w", err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rate, err := run.SinkRate(prog.Description(), m, 1)
	if err != nil {
		return nil, fmt.Errorf("running the chain on one core: %w", err)
	}
	if r.app != nil {
		return r.appModel(p, prog.Description(), m)
	}
	sum := 0.0
	for k := range m.Kernels {
		sum += m.Kernels[k].ServiceTime
	}
	if !(sum > 0) || !(rate > 0) {
		return nil, errNothing
	}
	x := &rivalModel{program: p, links: r.links, scale: 1}
	rest := max(1, float64(c.Bytes)/rate/sum)
	for k := range m.Kernels {
		x.times = append(x.times, design.Override{Target: prog.Description().Kernels[k].Name,
			Attrs: [][2]string{{"time", fmt.Sprintf("%.6gns", 1e9*rest*m.Kernels[k].ServiceTime)}}})
	}
	return x, nil
}

// modelFrames is the number of frames of a run on one core. Measurements exclude the first frame.
const modelFrames = 6

// program reads the application of a case with a mapping; "" for none.
func (r *rivalChain) program(c *RivalInput, mapping string) (*xlang.Program, error) {
	paths := []string{filepath.Join(r.dir, "app.x"), filepath.Join(r.dir, "arch.x")}
	if r.app != nil {
		paths = append(paths, filepath.Join(r.dir, figuresX))
	}
	if mapping != "" {
		path := filepath.Join(r.dir, "map.x")
		paths = append(paths, path)
		if err := os.WriteFile(path, []byte(mapping+"\n"), 0o644); err != nil {
			return nil, fmt.Errorf("writing a mapping: %w", err)
		}
	}
	p, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library(), Set: r.set(c)})
	if err != nil {
		return nil, fmt.Errorf("reading the chain: %w", err)
	}
	return p, nil
}

// set returns the configs of a case, as for --set.
func (r *rivalChain) set(c *RivalInput) map[string]string {
	if r.app != nil {
		return r.app.set
	}
	return map[string]string{"top.words": fmt.Sprint(c.Bytes / 8), "top.steps": fmt.Sprint(r.work(c.Work)),
		"top.more": fmt.Sprint(r.work(c.Heavy))}
}

// design returns the design of a program with the model's figures.
func (x *rivalModel) design(p *xlang.Program, purpose design.Purpose) (*design.Design, error) {
	return design.New(p, design.Options{Purpose: purpose, Overrides: x.times, Profile: x.links})
}

// predict returns the deployment of a mapping, with its predicted rate and flows.
func (r *rivalChain) predict(ctx context.Context, c *RivalInput, x *rivalModel, mapping string) (deployment, error) {
	p, err := r.program(c, mapping)
	if err != nil {
		return deployment{}, err
	}
	d, err := x.design(p, design.ForMapping)
	if err != nil {
		return deployment{}, fmt.Errorf("predicting a mapping: %w", err)
	}
	_, s, err := d.Solve(ctx, d.Mapping)
	if err != nil {
		return deployment{}, fmt.Errorf("predicting a mapping: %w", err)
	}
	return deployment{mapping: mapping, rate: s.Throughput * x.scale / float64(c.Bytes), flow: s.EdgeFlow}, nil
}

// searched returns the mapping in X that the search, including copies of kernels, finds with the model's figures.
func (r *rivalChain) searched(ctx context.Context, x *rivalModel) (string, error) {
	bare := *x.program
	bare.Maps = nil
	d, err := x.design(&bare, design.ForSearch)
	if err != nil {
		return "", fmt.Errorf("searching mappings: %w", err)
	}
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxTime: searchTime, Top: 1})
	if err != nil {
		return "", fmt.Errorf("searching mappings: %w", err)
	}
	m := found.Candidates[0].Mapping
	lower := func(_ context.Context, p *xlang.Program) (*design.Design, error) {
		return x.design(p, design.ForCheck)
	}
	searching, stop := context.WithTimeout(ctx, copiesTime)
	defer stop()
	more, err := copies.Search(searching, d, m, copies.Policy{Lower: lower})
	if reason := (*copies.Reason)(nil); errors.As(err, &reason) {
		more, err = nil, nil
		if r.o.Note != nil {
			r.o.Note("the search returns a mapping without copies: " + reason.Error())
		}
	}
	if err != nil {
		return "", fmt.Errorf("searching numbers of copies: %w", err)
	}
	if more != nil && more.Mapping != nil {
		d, m = more.Design, more.Mapping
	}
	var text strings.Builder
	if err := d.WriteMapping(&text, m, nil, ""); err != nil {
		return "", err
	}
	return text.String(), nil
}

// messageCosts measures the cost of messages between the two cores.
func (r *rivalChain) messageCosts(ctx context.Context) error {
	p, err := r.program(&RivalInput{Bytes: 64}, "")
	if err != nil {
		return err
	}
	d, err := design.New(p, design.Options{Purpose: design.ForRun})
	if err != nil {
		return fmt.Errorf("reading the chain: %w", err)
	}
	links, err := calibrate.Links(ctx, d, calibrate.Options{})
	if err != nil {
		return fmt.Errorf("measuring messages between cores: %w", err)
	}
	r.links = design.FromProfile("this machine", &profile.Profile{Schema: profile.Schema,
		Machine: profile.ThisMachine(), Links: links}, nil)
	return nil
}
