package program

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// site is the folder of a kernel's source; "" for generated sources. Copies of an application in different folders
// share cached objects, because keys and lists of files contain siteMark instead of the folder. If an object depends on
// the folder, its list contains the mark as a file whose content is the path of the folder.
type site string

// siteMark replaces the folder of a source. It contains a byte that no path contains.
const siteMark = "\x01"

// site returns the source folder of a command.
func (c *command) site() site {
	if c.source == "" {
		return ""
	}
	return site(filepath.Dir(c.source))
}

// prefix returns the common prefix of the paths of files in the folder.
func (s site) prefix() string {
	return strings.TrimSuffix(string(s), string(filepath.Separator)) + string(filepath.Separator)
}

// without replaces the folder at the start of words with siteMark.
func (s site) without(words []string) []string {
	if s == "" {
		return words
	}
	out := slices.Clone(words)
	for i, w := range out {
		if rest, ok := strings.CutPrefix(w, s.prefix()); ok {
			out[i] = siteMark + "/" + rest
		}
	}
	return out
}

// expand converts a file name from a list to a path: it replaces siteMark with the folder.
func (s site) expand(name string) string {
	if rest, ok := strings.CutPrefix(name, siteMark+"/"); ok {
		return s.prefix() + rest
	}
	return name
}

// shadows returns the existing files that a compiler would find before a listed file from another place. These files
// are next to the source, or next to its includes. Another folder with the same source may contain such files even if
// this folder has none.
func (s site) shadows(files []string) []string {
	if s == "" {
		return nil
	}
	var dirs, found []string
	for _, name := range files {
		if strings.HasPrefix(name, siteMark+"/") {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	for _, name := range files {
		if strings.HasPrefix(name, siteMark) {
			continue
		}
		for rest := strings.TrimPrefix(name, "/"); rest != ""; _, rest, _ = strings.Cut(rest, "/") {
			for _, dir := range dirs {
				shadow := dir + "/" + rest
				if _, err := os.Stat(s.expand(shadow)); err == nil {
					found = append(found, shadow)
				}
			}
		}
	}
	return found
}

// sited reports whether the objects of a command may depend on its source folder. They do if the objects or a file
// outside the system contain the path of the folder, or if the compiler records source locations.
func (c *command) sited(dir string, files []string) bool {
	at := c.site()
	if at == "" {
		return false
	}
	if slices.ContainsFunc(c.args, notesPaths) {
		return true
	}
	for _, object := range c.objects {
		code, err := os.ReadFile(filepath.Join(dir, object))
		if err != nil || bytes.Contains(code, []byte(at)) {
			return true
		}
	}
	for _, name := range files {
		if strings.HasPrefix(name, "/usr/") {
			continue // macros may have put a path into the object
		}
		path := at.expand(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return true
		}
		for _, word := range []string{"__FILE__", "__BASE_FILE__", "__builtin_FILE", "source_location", "__has_include",
			"include_next", "embed"} {
			if bytes.Contains(text, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// notesPaths reports whether an argument makes a compiler record source paths in the object or in another file.
func notesPaths(arg string) bool {
	for _, prefix := range []string{"-g", "-fsanitize", "-fprofile", "-ftest", "-fcoverage", "--coverage",
		"-finstrument", "-flto", "-frecord", "-fdebug", "-save", "-fdump", "-Wp,", "-Wa,", "-Xassembler", "-Xclang"} {
		if strings.HasPrefix(arg, prefix) {
			return true
		}
	}
	return false
}
