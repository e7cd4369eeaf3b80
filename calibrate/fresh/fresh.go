// Package fresh checks whether the sources of kernels have changed since the measurement of their figures: files,
// quoted includes, compiler, flags, configs and ports. If the text has changed, it compiles the sources, because the
// machine code may be unchanged. It does not execute the code.
//
// Package calibrate stores the identity of the measured sources in the profile. Commands that predict check this
// identity with package fresh.
package fresh

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/deploy/program"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/cache"
)

// Checker compares the figures of a profile with the sources of one program.
type Checker struct {
	ctx     context.Context
	program *xlang.Program
	// sameMachine reports whether the profile is from a machine with the same processor. Only then does the checker
	// compare machine code.
	sameMachine bool
	compiler    string // compiler of this machine, cached; "" for none
	requested   bool
	kernels     map[string]int
	resources   map[string]int
	sources     map[[2]int]found // by kernel and by the first resource with the same platform and configs
	verdicts    map[query]verdict
	like        []int             // by resource: the first resource with the same platform and configs
	objects     map[string]string // machine code by its inputs
	err         error             // error of ctx, if it ended a check
}

type found struct {
	source *profile.Source
	err    error
}

type query struct {
	entry            *profile.Kernel
	kernel, resource int
}

type verdict struct{ stale, unknown string }

// NewChecker returns a checker. Its compilations end when ctx is done.
func NewChecker(ctx context.Context, p *xlang.Program, figures *profile.Profile) *Checker {
	c := &Checker{ctx: ctx, program: p, sameMachine: figures.Machine.CPU == profile.ThisMachine().CPU,
		kernels: make(map[string]int), resources: make(map[string]int),
		sources: make(map[[2]int]found), verdicts: make(map[query]verdict), objects: make(map[string]string)}
	for i := range p.Kernels {
		c.kernels[p.Kernels[i].Name] = i
	}
	for i := range p.Resources {
		c.resources[p.Resources[i].Name] = i
		c.like = append(c.like, c.alike(i))
	}
	return c
}

// Check returns a text with the differences between the current sources of a kernel on a resource and the measured
// sources of a profile entry; "" for none. unknown is the reason if it cannot compare the sources.
func (c *Checker) Check(entry *profile.Kernel, kernel, resource string) (stale, unknown string) {
	k, ok := c.kernels[kernel]
	r, there := c.resources[resource]
	if !ok || !there {
		return "", ""
	}
	q := query{entry, k, c.like[r]}
	v, ok := c.verdicts[q]
	if !ok {
		v.stale, v.unknown = c.check(entry, k, q.resource)
		if err := c.ctx.Err(); err != nil { // a canceled compilation does not prove a difference
			c.err = err
			return "", "the check was interrupted"
		}
		c.verdicts[q] = v
	}
	return v.stale, v.unknown
}

// Err returns the error of the context if the context ended a check.
func (c *Checker) Err() error { return c.err }

// alike returns the first resource with the same platform and configs.
func (c *Checker) alike(r int) int {
	for i := range c.program.Resources {
		x, y := &c.program.Resources[i], &c.program.Resources[r]
		if i == r || x.Platform == y.Platform && maps.EqualFunc(x.Config, y.Config,
			func(a, b xlang.Value) bool { return a.Text == b.Text }) {
			return i
		}
	}
	return r
}

func (c *Checker) check(entry *profile.Kernel, k, r int) (stale, unknown string) {
	kernel, was := &c.program.Kernels[k], entry.Source
	if was == nil {
		return "", "the profile does not record which sources were measured"
	}
	if entry.Block != "" && entry.Block != kernel.Block {
		return fmt.Sprintf("its block is now %s (before: %s)", kernel.Block, entry.Block), ""
	}
	now, err := c.source(k, r)
	var missing *MissingError
	switch {
	case errors.As(err, &missing):
		return "", missing.Error()
	case err != nil:
		return "", err.Error()
	case now == nil:
		return "", "it has no source for this platform"
	}
	if text := differentUse(was, now); text != "" {
		return text, ""
	}
	text := differentText(was, now)
	if c.sameMachine && was.Compiler != "" && was.Object != "" {
		if at := c.compilerHere(); at != "" && at != was.Compiler {
			text = append(text, fmt.Sprintf("the compiler is now %s (before: %s)", at, was.Compiler))
		}
	}
	if len(text) == 0 || c.sameObject(k, r, was, now) {
		return "", ""
	}
	return strings.Join(text, "; "), ""
}

// differentUse returns a text with the changes in the ports and configs of a kernel.
func differentUse(was, now *profile.Source) string {
	var list []string
	if was.Ports != now.Ports {
		list = append(list, "its ports have changed")
	}
	for _, name := range slices.Sorted(maps.Keys(now.Config)) {
		if old, ok := was.Config[name]; !ok {
			list = append(list, fmt.Sprintf("its config %s is new", name))
		} else if old != now.Config[name] {
			list = append(list, fmt.Sprintf("its config %s is now %s (before: %s)", name, quote(now.Config[name]),
				quote(old)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was.Config)) {
		if _, ok := now.Config[name]; !ok {
			list = append(list, fmt.Sprintf("its config %s is removed", name))
		}
	}
	return strings.Join(list, "; ")
}

func quote(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// differentText returns texts with the changed files and flags.
func differentText(was, now *profile.Source) []string {
	old, present := hashes(was.Files), hashes(now.Files)
	var changed, list []string
	if was.Files[0].Path != now.Files[0].Path {
		list = append(list, fmt.Sprintf("its source is now %s (before: %s)", now.Files[0].Path, was.Files[0].Path))
	}
	for _, f := range now.Files {
		if sum, ok := old[f.Path]; ok && sum != f.SHA256 {
			changed = append(changed, f.Path)
		}
	}
	if len(changed) > 0 {
		list = append(list, enumerate(changed)+" changed")
	}
	for _, x := range []struct {
		what  string
		files []profile.SourceFile
		other map[string]string
	}{{" no longer included", was.Files[1:], present}, {" newly included", now.Files[1:], old}} {
		var names []string
		for _, f := range x.files {
			if _, ok := x.other[f.Path]; !ok {
				names = append(names, f.Path)
			}
		}
		if len(names) > 0 {
			list = append(list, enumerate(names)+x.what)
		}
	}
	if was.Flags != now.Flags {
		list = append(list, fmt.Sprintf("its flags are now %s (before: %s)", quote(now.Flags), quote(was.Flags)))
	}
	return list
}

func hashes(files []profile.SourceFile) map[string]string {
	m := make(map[string]string)
	for _, f := range files {
		m[f.Path] = f.SHA256
	}
	return m
}

// enumerate joins up to three names. It replaces further names by their number.
func enumerate(names []string) string {
	const maximum = 3
	if len(names) > maximum {
		names = append(slices.Clone(names[:maximum-1]), fmt.Sprintf("%d more files", len(names)-maximum+1))
	}
	return strings.Join(names, ", ")
}

func (c *Checker) source(k, r int) (*profile.Source, error) {
	f, ok := c.sources[[2]int{k, r}]
	if !ok {
		f.source, f.err = Of(c.program, k, r)
		c.sources[[2]int{k, r}] = f
	}
	return f.source, f.err
}

func (c *Checker) compilerHere() string {
	if !c.requested {
		c.compiler = program.CompilerVersion(c.ctx)
		c.requested = c.ctx.Err() == nil
	}
	return c.compiler
}

// sameObject reports whether the current sources yield the measured machine code, for example if only comments have
// changed. It compiles the same text only once, and does not execute the result.
func (c *Checker) sameObject(k, r int, was, now *profile.Source) bool {
	if was.Object == "" || !c.sameMachine || c.compilerHere() == "" {
		return false
	}
	kernel := &c.program.Kernels[k]
	impl := c.program.Implementation(kernel.Block, c.program.Ancestors(c.program.Resources[r].Platform))
	key := objectKey(kernel.Block, impl, now, c.compilerHere())
	sum, ok := c.objects[key]
	if !ok {
		kept := cache.From(c.ctx)
		if sum, ok = kept.GetText(key); !ok {
			object, err := program.CompileBlock(c.ctx, c.program, kernel.Block, impl)
			if err != nil {
				return false // the sources do not compile, so the code differs from the measured code
			}
			sum = Object(object)
			kept.PutText(key, sum)
		}
		c.objects[key] = sum
	}
	return sum == was.Object
}

// Object returns the SHA-256 hash of machine code.
func Object(code []byte) string { return fmt.Sprintf("%x", sha256.Sum256(code)) }

// objectKey returns a key for all inputs of a block's machine code.
func objectKey(block string, impl *xlang.Impl, s *profile.Source, compiler string) string {
	parts := []string{"sum of an object", program.RuntimeVersion(), compiler, block, impl.Source(), s.Flags,
		s.Ports}
	for _, f := range s.Files {
		parts = append(parts, f.Path, f.SHA256)
	}
	return cache.Key(append(parts, slices.Sorted(maps.Keys(s.Config))...)...)
}
