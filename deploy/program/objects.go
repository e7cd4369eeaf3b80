package program

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"xopt/internal/cache"
)

// objects is the user's cache of object files between builds. The dependencies of an object are known only after its
// compilation, when the compiler lists the files that it has read. A lookup therefore has several steps. The first key
// consists of the compiler, its arguments and its environment. The entry of this key lists files. Each further key
// consists of the previous key and the contents of the listed files. An entry that lists exactly the files of its own
// key contains the objects. (Compare the direct mode of ccache.) A change in any file, including a header, changes the
// key. The keys omit the mapping of an application. They also omit the folder of a source, unless the object depends on
// this folder (see sited).
//
// The cache misses a new file in a folder of -I that takes precedence over a listed file of the same name. It detects a
// new file next to the source.
type objects struct {
	kept     *cache.Cache
	versions map[string]string // version texts by compiler
}

func newObjects(ctx context.Context) *objects {
	return &objects{kept: cache.From(ctx), versions: make(map[string]string)}
}

// trail is the result of a cache lookup for a command: the key without an entry, and the files that led to it.
type trail struct {
	key   string
	files []string
}

// maxSteps is the maximum number of lookup steps. Usually there are two steps. Each change in a file's includes adds a
// step.
const maxSteps = 8

// compile runs a command that makes objects in dir, or copies its objects from the cache.
func (o *objects) compile(ctx context.Context, c *command, dir string) error {
	at, isKnown := o.load(ctx, c, dir)
	if isKnown {
		return c.check(dir)
	}
	start := time.Now()
	if err := c.run(ctx, dir); err != nil {
		return err
	}
	if err := c.check(dir); err != nil {
		return err
	}
	if at != nil {
		o.keep(c, dir, *at, start)
	}
	return nil
}

// load copies the cached objects into dir and reports whether there were any. A nil trail means that the command is not
// cacheable.
func (o *objects) load(ctx context.Context, c *command, dir string) (*trail, bool) {
	if !c.kept || unfollowed(c.args) {
		return nil, false
	}
	at := &trail{key: o.first(ctx, c)}
	for range maxSteps {
		if !o.kept.Get(at.key, dir) {
			return at, false
		}
		list := filepath.Join(dir, c.list())
		text, err := os.ReadFile(list)
		if err != nil || os.Remove(list) != nil {
			return nil, false
		}
		files := strings.Split(string(text), "\n")
		if slices.Equal(files, at.files) {
			return at, true
		}
		key, ok := next(at.key, dir, c.site(), files, time.Time{})
		if !ok {
			return nil, false
		}
		at = &trail{key, files}
	}
	return nil, false
}

// keep stores the objects of a command at the end of its trail. It stores nothing if files have changed since start,
// because they may differ from the compiled files.
func (o *objects) keep(c *command, dir string, at trail, start time.Time) {
	var files []string
	for _, object := range c.objects {
		text, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(object, ".o")+".d"))
		if err != nil {
			return // this compiler does not list the files it reads
		}
		files = append(files, prerequisites(string(text))...)
	}
	if files = c.site().without(files); c.sited(dir, files) {
		files = append(files, siteMark)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	key, ok := next(at.key, dir, c.site(), files, start)
	list := strings.Join(files, "\n")
	if !ok || len(files) == 0 || strings.Count(list, "\n") != len(files)-1 {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, c.list()), []byte(list), 0o644); err != nil {
		return
	}
	defer os.Remove(filepath.Join(dir, c.list())) //nolint:errcheck // the folder is deleted, or kept with this file
	if slices.Equal(files, at.files) {
		key = at.key
	} else {
		o.kept.Put(at.key, dir, c.list())
	}
	o.kept.Put(key, dir, append([]string{c.list()}, c.objects...)...)
}

// list returns the name of the file with the list of files that the compiler read.
func (c *command) list() string { return c.objects[0] + ".list" }

// first returns the key of a command without any input files.
func (o *objects) first(ctx context.Context, c *command) string {
	parts := []string{"object", o.compiler(ctx, c.compiler)}
	parts = append(parts, c.site().without(c.args)...)
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
		"SOURCE_DATE_EPOCH"} {
		parts = append(parts, name+"="+os.Getenv(name))
	}
	if slices.ContainsFunc(c.args, func(a string) bool { return strings.HasSuffix(a, "=native") }) {
		parts = append(parts, processor()) // several machines may share the cache folder
	}
	return cache.Key(parts...)
}

// compiler returns the version text of a compiler, with the size and modification time of its program.
func (o *objects) compiler(ctx context.Context, words []string) string {
	id := fmt.Sprintf("%s %q %s", runtime.GOARCH, words, o.version(ctx, words))
	if info, err := os.Stat(words[0]); err == nil {
		id = fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
	}
	return id
}

// version returns a compiler's version. It queries each compiler once.
func (o *objects) version(ctx context.Context, words []string) string {
	name := strings.Join(words, "\x00")
	version, ok := o.versions[name]
	if !ok {
		if version = compilerVersion(ctx, words); ctx.Err() == nil {
			o.versions[name] = version
		}
	}
	return version
}

// processor returns Linux's description of the first processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n\n")
	return strings.Join(slices.DeleteFunc(strings.Split(first, "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "model") && !strings.HasPrefix(line, "flags")
	}), "\n")
}

// unfollowed reports whether a command reads files that the compiler does not list.
func unfollowed(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		for _, prefix := range []string{"@", "-fprofile-use", "-fauto-profile", "-fplugin", "-specs", "--specs"} {
			if strings.HasPrefix(a, prefix) {
				return true
			}
		}
		return false
	})
}

// next returns the key for the contents of files. ok is false if the contents do not determine an object, because they
// include unlisted files or the time, or were written after start.
func next(key, dir string, at site, files []string, start time.Time) (_ string, ok bool) {
	parts := append([]string{key}, at.shadows(files)...)
	for _, name := range files {
		if name == siteMark {
			parts = append(parts, name, string(at), "")
			continue
		}
		path := at.expand(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err == nil && !start.IsZero() && info.ModTime().After(start) {
			return "", false
		}
		text, err := os.ReadFile(path)
		if err != nil {
			parts = append(parts, name, "", "missing")
			continue
		}
		for _, word := range []string{"__DATE__", "__TIME__", "__TIMESTAMP__", ".incbin"} {
			if bytes.Contains(text, []byte(word)) {
				return "", false
			}
		}
		parts = append(parts, name, string(text), "")
	}
	return cache.Key(parts...), true
}

// prerequisites returns the files in the list that a compiler writes for make (-MD).
func prerequisites(rule string) []string {
	_, rule, _ = strings.Cut(strings.ReplaceAll(rule, "\\\n", " "), ": ")
	rule, _, _ = strings.Cut(rule, "\n")
	var files []string
	for _, word := range strings.Fields(strings.NewReplacer(`\ `, "\x00", `\#`, "#", "$$", "$").Replace(rule)) {
		files = append(files, strings.ReplaceAll(word, "\x00", " "))
	}
	return files
}
