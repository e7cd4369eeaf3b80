package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/campaign/slurm"
	"xopt/cmd/internal/options"
	"xopt/flow/xlang"
	"xopt/mapper/sweep"
)

// campaignText is what a campaign file says.
type campaignText struct {
	kind    *campaignKind
	files   []string
	options []string // flags of the command
	engine  campaign.Engine
	said    string          // the engine that the file names; "" for none
	places  []options.Entry // all that the file says
}

// campaignKey is a key of a campaign file that is not an option of its command.
type campaignKey struct {
	name string
	set  func(t *campaignText, values []string) error
}

// campaignKeys are all such keys.
func campaignKeys() []campaignKey {
	word := func(to func(*campaignText) *string) func(*campaignText, []string) error {
		return func(t *campaignText, values []string) error {
			if len(values) != 1 {
				return errors.New("want one value")
			}
			*to(t) = values[0]
			return nil
		}
	}
	span := func(to func(*campaignText) *time.Duration) func(*campaignText, []string) error {
		return func(t *campaignText, values []string) error {
			if len(values) == 1 {
				if d, err := time.ParseDuration(values[0]); err == nil && d > 0 {
					*to(t) = d
					return nil
				}
			}
			return errors.New("want a time such as 30s or 5m")
		}
	}
	return []campaignKey{
		{"kind", func(t *campaignText, v []string) error { return nil }}, // read first
		{"files", func(t *campaignText, v []string) error { t.files = v; return nil }},
		{"engine", func(t *campaignText, v []string) error {
			if len(v) != 1 || !slices.Contains(engine.Names(), v[0]) {
				return fmt.Errorf("want one of %s", strings.Join(engine.Names(), ", "))
			}
			t.engine.Name, t.said = v[0], v[0]
			return nil
		}},
		{"workers", func(t *campaignText, v []string) error {
			n, err := strconv.Atoi(strings.Join(v, ","))
			if err != nil || n < 1 || n > maxWorkers {
				return fmt.Errorf("want a number from 1 to %d", maxWorkers)
			}
			t.engine.Workers = n
			return nil
		}},
		{"chunk-time", span(func(t *campaignText) *time.Duration { return &t.engine.ChunkTime })},
		{"stale", span(func(t *campaignText) *time.Duration { return &t.engine.Stale })},
		{"slurm", func(t *campaignText, v []string) error {
			t.engine.Slurm = strings.Join(v, "\n")
			return slurm.CheckLines(t.engine.Slurm)
		}},
		{"hosts", func(t *campaignText, v []string) error { t.engine.Hosts = v; return hosts.CheckHosts(v) }},
		{"launch", word(func(t *campaignText) *string { return &t.engine.Launch })},
	}
}

// readCampaign reads a campaign file. Paths in it are from its folder.
func (a *app) readCampaign(path string) (*campaignText, error) {
	if filepath.Ext(path) == ".x" {
		return nil, fmt.Errorf("%s is an X file: submit takes a campaign file, which names X files under files; xopt "+
			"campaign submit --help shows one", path)
	}
	f, err := options.ReadFile(campaignWords(), path, nil)
	if err != nil {
		return nil, err
	}
	t := &campaignText{places: f.Entries}
	at := slices.IndexFunc(f.Entries, func(e options.Entry) bool { return e.Key == "kind" })
	if at < 0 {
		return nil, fmt.Errorf("%s: it has no kind; want one of %s, such as kind: sweep", path,
			strings.Join(campaignCommands(), ", "))
	}
	kind := strings.Join(f.Entries[at].Values, ",")
	if t.kind = kindOf(kind); t.kind == nil {
		return nil, fmt.Errorf("%s: kind is %q, want one of %s%s", f.Entries[at].Place, kind,
			strings.Join(campaignCommands(), ", "), options.DidYouMean("", kind, campaignCommands()))
	}
	var errs []error
	for i := range f.Entries {
		errs = append(errs, t.take(a.table, &f.Entries[i], filepath.Dir(path)))
	}
	for i, x := range t.files {
		t.files[i] = from(filepath.Dir(path), x)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return t, t.lacks(path)
}

// campaignWords are those of errors in campaign files.
func campaignWords() options.FileWords {
	return options.FileWords{What: "the campaign file ", Example: "kind: sweep"}
}

// lacks is an error where a campaign file does not say what its command needs.
func (t *campaignText) lacks(path string) error {
	says := func(key string) bool {
		return slices.ContainsFunc(t.places, func(e options.Entry) bool { return e.Key == key && len(e.Values) > 0 })
	}
	switch {
	case !says("files"):
		return fmt.Errorf("%s: it has no files; want those that xopt %s is called with, such as "+
			"files: [app.x, arch.x]", path, t.kind.name)
	case t.kind.has(needsVary) && !says("vary"):
		return fmt.Errorf("%s: it has no vary; want what varies, such as vary: [PCIX.bandwidth=10MB/s..1GB/s]", path)
	}
	return nil
}

// from is a path that is given from a folder.
func from(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(folder, path)
	whole, err := filepath.Abs(path)
	here, err2 := filepath.Abs(".")
	if err != nil || err2 != nil {
		return path
	}
	if rel, err := filepath.Rel(here, whole); err == nil { // the shortest name
		return rel
	}
	return path
}

// take takes one entry of a campaign file.
func (t *campaignText) take(all options.Table, e *options.Entry, folder string) error {
	var known []string
	for _, k := range campaignKeys() {
		if k.name == e.Key {
			if err := k.set(t, e.Values); err != nil {
				return fmt.Errorf("%s: %s is %q, %w", e.Place, e.Key, strings.Join(e.Values, ", "), err)
			}
			return nil
		}
		known = append(known, k.name)
	}
	for _, o := range all.ForCommand(t.kind.name) {
		if o.Commands == nil || o.Name == campaignOption {
			continue
		}
		known = append(known, o.Name)
		if o.Name != e.Key {
			continue
		}
		if o.IsOutput() {
			return fmt.Errorf("%s: %s is not of a campaign: xopt campaign collect writes results, and resume goes on",
				e.Place, e.Key)
		}
		v, err := options.NewValue(o)
		if err == nil {
			err = v.Assign(e.Values, e.Place)
		}
		if err == nil && o.Name == "vary" {
			err = checkVary(e)
		}
		if err != nil {
			return err
		}
		if o.Kind == options.File || o.Kind == options.Files {
			for _, path := range v.Items() {
				t.options = append(t.options, "--"+o.Name, from(folder, path))
			}
			return nil
		}
		t.options = append(t.options, v.Args()...)
		return nil
	}
	meant := ""
	if near := xlang.Nearest(e.Key, known); near != "" {
		meant = ", did you mean " + near + "?"
	}
	return fmt.Errorf("%s: unknown key %q%s; a campaign of kind %s has the options of xopt %s", e.Place, e.Key, meant,
		t.kind.name, t.kind.name)
}

// checkVary is an error where what a campaign file says of vary cannot be read.
func checkVary(e *options.Entry) error {
	var errs []error
	for i, text := range e.Values {
		if _, err := sweep.ParseVaried(text, 2); err != nil {
			hint := ""
			if !strings.Contains(text, "=") && i > 0 {
				hint = "; a comma within [ ] ends a value: put it in quotes, such as vary: [\"top.pipes=1,2\"]"
			}
			errs = append(errs, fmt.Errorf("%s: %w%s", e.Place, err, hint))
		}
	}
	return errors.Join(errs...)
}
