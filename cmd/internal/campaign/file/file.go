// Package file parses campaign files. A file contains the kind of the campaign, the input files, and options of the
// command and the engine.
package file

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/campaign/slurm"
	"xopt/cmd/internal/options"
	"xopt/mapper/sweep"
)

// Kind is a kind of campaign, named after its command.
type Kind struct {
	Name      string
	NeedsVary bool // the command needs --vary
}

// File is a campaign file.
type File struct {
	Kind    string
	Files   []string
	Options []string // flags of the command
	Engine  campaign.Engine

	kind   *Kind
	said   string          // the engine that the file names; "" for none
	places []options.Entry // all entries of the file
}

// CampaignOption is the option that turns a command into a campaign. Campaign files do not contain it.
const CampaignOption = "campaign"

// MaxWorkers is the maximum number of workers of a campaign.
const MaxWorkers = 10_000

// key is a key of a campaign file that is not an option of its command.
type key struct {
	name string
	set  func(t *File, values []string) error
}

// keys returns the keys of all engines.
func keys() []key {
	word := func(to func(*File) *string) func(*File, []string) error {
		return func(t *File, values []string) error {
			if len(values) != 1 {
				return faults.WrongCampaignValue.Errorf("expected one value")
			}
			*to(t) = values[0]
			return nil
		}
	}
	span := func(to func(*File) *time.Duration) func(*File, []string) error {
		return func(t *File, values []string) error {
			if len(values) == 1 {
				if d, err := time.ParseDuration(values[0]); err == nil && d > 0 {
					*to(t) = d
					return nil
				}
			}
			return faults.WrongCampaignValue.Errorf("expected a time such as 30s or 5m")
		}
	}
	return []key{
		{"kind", func(t *File, v []string) error { return nil }}, // Read has parsed it already
		{"files", func(t *File, v []string) error { t.Files = v; return nil }},
		{"engine", func(t *File, v []string) error {
			if len(v) != 1 || !slices.Contains(engine.Names(), v[0]) {
				return faults.WrongCampaignValue.Errorf("expected one of %s", strings.Join(engine.Names(), ", "))
			}
			t.Engine.Name, t.said = v[0], v[0]
			return nil
		}},
		{"workers", func(t *File, v []string) error {
			n, err := strconv.Atoi(strings.Join(v, ","))
			if err != nil || n < 1 || n > MaxWorkers {
				return faults.WrongCampaignValue.Errorf("expected a number from 1 to %d", MaxWorkers)
			}
			t.Engine.Workers = n
			return nil
		}},
		{"chunk-time", span(func(t *File) *time.Duration { return &t.Engine.ChunkTime })},
		{"stale", span(func(t *File) *time.Duration { return &t.Engine.Stale })},
		{"slurm", func(t *File, v []string) error {
			t.Engine.Slurm = strings.Join(v, "\n")
			return slurm.CheckLines(t.Engine.Slurm)
		}},
		{"hosts", func(t *File, v []string) error { t.Engine.Hosts = v; return hosts.CheckHosts(v) }},
		{"launch", word(func(t *File) *string { return &t.Engine.Launch })},
	}
}

// Read reads a campaign file, which must be of one of the given kinds. Paths in the file are relative to its folder.
func Read(path string, table options.Table, kinds []Kind) (*File, error) {
	if filepath.Ext(path) == ".x" {
		return nil, faults.NotACampaignFile.Errorf("%s is an X file: submit needs a campaign file, which lists X "+
			"files under files; xopt campaign submit --help shows an example", path)
	}
	f, err := options.ReadFile(words(), path, nil)
	if err != nil {
		return nil, err
	}
	t := &File{places: f.Entries}
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	at := slices.IndexFunc(f.Entries, func(e options.Entry) bool { return e.Key == "kind" })
	if at < 0 {
		return nil, faults.CampaignWithoutKind.Errorf("%s: kind is missing; expected one of %s, such as kind: sweep",
			path,
			strings.Join(names, ", "))
	}
	t.Kind = strings.Join(f.Entries[at].Values, ",")
	i := slices.Index(names, t.Kind)
	if i < 0 {
		return nil, faults.UnknownKind.Errorf("%s: kind is %q, expected one of %s%s", f.Entries[at].Place, t.Kind,
			strings.Join(names, ", "), options.DidYouMean("", t.Kind, names))
	}
	t.kind = &kinds[i]
	var errs []error
	for i := range f.Entries {
		errs = append(errs, t.set(table, &f.Entries[i], filepath.Dir(path)))
	}
	for i, x := range t.Files {
		t.Files[i] = from(filepath.Dir(path), x)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return t, t.lacks(path)
}

// words returns the words for errors in campaign files.
func words() options.FileWords {
	return options.FileWords{What: "the campaign file ", Example: "kind: sweep"}
}

// lacks returns an error if the file lacks an entry that its command requires.
func (t *File) lacks(path string) error {
	has := func(key string) bool {
		return slices.ContainsFunc(t.places, func(e options.Entry) bool { return e.Key == key && len(e.Values) > 0 })
	}
	switch {
	case !has("files"):
		return faults.CampaignWithoutFiles.Errorf("%s: the entry files is missing (list the X files for xopt %s, such "+
			"as files: [app.x, arch.x])", path, t.Kind)
	case t.kind.NeedsVary && !has("vary"):
		return faults.CampaignWithoutVary.Errorf("%s: the entry vary is missing (add a parameter and its range, such "+
			"as vary: [PCIX.bandwidth=10MB/s..1GB/s])", path)
	}
	return nil
}

// from resolves a path relative to a folder.
func from(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(folder, path)
	complete, err := filepath.Abs(path)
	here, err2 := filepath.Abs(".")
	if err != nil || err2 != nil {
		return path
	}
	if rel, err := filepath.Rel(here, complete); err == nil { // the relative path is shorter
		return rel
	}
	return path
}

// set stores one entry of a campaign file.
func (t *File) set(all options.Table, e *options.Entry, folder string) error {
	var existing []string
	for _, k := range keys() {
		if k.name == e.Key {
			if err := k.set(t, e.Values); err != nil {
				return fmt.Errorf("%s: %s is %q, %w", e.Place, e.Key, strings.Join(e.Values, ", "), err)
			}
			return nil
		}
		existing = append(existing, k.name)
	}
	for _, o := range all.ForCommand(t.Kind) {
		if o.Commands == nil || o.Name == CampaignOption {
			continue
		}
		existing = append(existing, o.Name)
		if o.Name != e.Key {
			continue
		}
		if o.IsOutput() {
			return faults.NotInCampaign.Errorf("%s: a campaign file cannot set %s (remove it; xopt campaign "+
				"collect writes the results, and xopt campaign resume continues the campaign)", e.Place, e.Key)
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
				t.Options = append(t.Options, "--"+o.Name, from(folder, path))
			}
			return nil
		}
		t.Options = append(t.Options, v.Args()...)
		return nil
	}
	return faults.UnknownKey.Errorf("%s: unknown key %q%s; a campaign of kind %s has the options of xopt %s",
		e.Place, e.Key, options.DidYouMean("", e.Key, existing), t.Kind, t.Kind)
}

// checkVary returns an error if a vary entry is invalid.
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

// ofEngine returns the keys that apply to one engine only.
func ofEngine() map[string]string {
	return map[string]string{"hosts": campaign.SSH, "launch": campaign.SSH, "slurm": campaign.Slurm}
}

// CheckEngine rejects keys that belong neither to the engine in the campaign file nor to the engine in use.
func (t *File) CheckEngine(name string) error {
	var errs []error
	for _, p := range t.places {
		want := ofEngine()[p.Key]
		switch {
		case want != "" && name != want && t.said != want:
			errs = append(errs, faults.NotForEngine.Errorf("%s: %s is only for engine: %s, but the engine is %s; "+
				"remove %s", p.Place, p.Key, want, name, p.Key))
		case p.Key == "workers" && name == campaign.SSH && t.said == campaign.SSH:
			errs = append(errs, faults.NotForEngine.Errorf("%s: workers does not apply to engine: ssh: %s",
				p.Place, engine.OneOnEachHost))
		}
	}
	return errors.Join(errs...)
}
