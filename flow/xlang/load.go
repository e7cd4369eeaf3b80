package xlang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// Options contains the options of [Load] and [Parser.Load].
type Options struct {
	// Library contains the included files that are not in the folder of the including file: std.x and its includes.
	// Library may be nil.
	Library fs.FS
	// Set overrides configs and the sizes of resource arrays. A key has one of these forms:
	//   - a config of the application's top block: "top.pipes"
	//   - a config of an instance: "top.pipe[2].fft.n", or "top.pipe.fft.n" for all elements of the array
	//   - a config of a resource or link: "PCI.bandwidth"
	//   - the name of a resource array, for its size: "fpga"
	Set map[string]string
	// SetBy contains, for messages, the flag that set an entry of Set. The default is --set.
	SetBy map[string]string
	// Mappings permits a separate mapping in each file; [Map.Pos] distinguishes them.
	Mappings bool
	// ReadFile reads a file; nil uses the file system.
	ReadFile func(path string) ([]byte, error)
	// FileSize returns the size of a file with the values of initial elements; nil uses the file system.
	FileSize func(path string) (int64, error)
}

// These limits on the input are far above any real application. They prevent an input from using excessive memory or
// time.
const (
	maxFileBytes  = 8 << 20
	maxFiles      = 500
	maxArray      = 65536
	maxKernels    = 100_000
	maxEdges      = 1_000_000
	maxPorts      = 2 * maxEdges // of all instances, and at the ends of edge statements
	maxInstances  = 400_000
	maxResources  = 1024
	maxPlaces     = 4_000_000 // kernels times resources
	maxReferences = 2_000_000
	maxBlockDepth = 64
	maxNameBytes  = 1000
)

// libraryPrefix marks the names of library files in messages.
const libraryPrefix = "library/"

// InLibrary reports whether a position is in a file of the library. Values in the library are defaults.
func (p Pos) InLibrary() bool { return strings.HasPrefix(p.File, libraryPrefix) }

// Load reads the given files and their includes as one program. If the files can be read but contain errors, the error
// is a [Diagnostics]. The returned Source contains the text of each file, for rendering diagnostics; it is never nil.
func Load(files []string, opt Options) (*Program, *Source, error) {
	p, err := NewParser()
	if err != nil {
		return nil, &Source{}, err
	}
	return p.Load(context.Background(), files, opt)
}

// Parser reads X files. Reuse a Parser for many programs, because creating a Parser takes as long as reading a file.
type Parser struct{ syntax *syntax }

// NewParser creates a parser of the X language.
func NewParser() (*Parser, error) {
	s, err := newSyntax()
	if err != nil {
		return nil, fmt.Errorf("cannot build the parser of the X language: %w", err)
	}
	return &Parser{s}, nil
}

// Load is like the function [Load], but returns the context's error when ctx is done.
func (p *Parser) Load(ctx context.Context, files []string, opt Options) (*Program, *Source, error) {
	l := &loader{ctx: ctx, syntax: p.syntax, opt: opt, source: &Source{text: make(map[string][]byte)},
		state: make(map[string]int), unread: make(map[string]bool)}
	if l.opt.ReadFile == nil {
		l.opt.ReadFile = readFile
	}
	if l.opt.FileSize == nil {
		l.opt.FileSize = fileSize
	}
	for _, f := range files {
		if err := l.load(f, nil); err != nil {
			l.diags.add(unreadableAs(err), Pos{}, fault.Plain(err), "")
			l.unreadable = true
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, l.source, err
	}
	if l.unreadable { // without this file, the other files lack declarations
		l.diags.sort(l.order)
		return nil, l.source, l.diags
	}
	program := l.elaborate()
	if err := ctx.Err(); err != nil {
		return nil, l.source, err
	}
	l.diags.sort(l.order)
	if len(l.diags) > 0 {
		return nil, l.source, l.diags
	}
	program.Files = l.source.Files
	return program, l.source, nil
}

// Source contains the text of the files that were read.
type Source struct {
	Files []File
	text  map[string][]byte
}

// Text returns the text of a file by its name in diagnostics.
func (s *Source) Text(file string) []byte { return s.text[file] }

// loader reads files and their includes.
type loader struct {
	*syntax
	ctx    context.Context // of the call to Load
	opt    Options
	source *Source
	diags  Diagnostics
	order  []string       // names of files, in reading order
	state  map[string]int // by canonical name: 1 while being read, 2 when read
	chain  []string       // files being read, outermost first
	units  []unit
	unread map[string]bool // see file.unread

	unreadable bool // an input file cannot be read
}

// stopped reports whether reading must stop: after too many errors, or because the context is done.
func (l *loader) stopped() bool { return l.diags.full() || l.ctx.Err() != nil }

// unit is a statement with the folder of its file.
type unit struct {
	dir  string // directory of its file
	stmt any
}

// load reads one file, unless the file has already been read. It adds errors in statements to l.diags. It returns an
// error if the entire file is unusable.
func (l *loader) load(path string, from *file) error {
	canonical := filepath.Clean(path)
	if abs, err := filepath.Abs(path); err == nil && !strings.HasPrefix(path, libraryPrefix) {
		canonical = abs
	}
	switch l.state[canonical] {
	case 1:
		return faults.ContainsItself.Errorf("file includes itself: %s -> %s (remove one of these includes)",
			strings.Join(l.chain, " -> "), path)
	case 2:
		return nil
	}
	if len(l.state) >= maxFiles {
		return faults.TooLarge.Errorf("the X files include more than %d files (include fewer files)", maxFiles)
	}
	src, err := l.read(path)
	if err != nil {
		return err
	}
	if !beginsLikeX(src) {
		return &foreignError{path: path}
	}
	l.state[canonical] = 1
	l.chain = append(l.chain, path)
	l.order = append(l.order, path)
	l.source.text[path] = src
	sum := sha256.Sum256(src)
	l.source.Files = append(l.source.Files, File{Path: path, SHA256: hex.EncodeToString(sum[:])})
	mistakes := len(l.diags)
	f := l.parse(path, src, &l.diags, l.stopped)
	if from != nil && len(l.diags) > mistakes && !strings.HasSuffix(path, extension) {
		line := l.diags[mistakes].Pos.Line
		l.diags, l.source.text[path], l.state[canonical] = l.diags[:mistakes], nil, 2
		l.chain = l.chain[:len(l.chain)-1]
		return &foreignError{path: path, line: line}
	}
	for w := range f.unread {
		l.unread[w] = true
	}
	for _, stmt := range f.statements {
		if l.stopped() {
			break
		}
		if inc, ok := stmt.(*includeStmt); ok {
			l.include(f, inc)
			continue
		}
		l.units = append(l.units, unit{dir: filepath.Dir(path), stmt: stmt})
	}
	l.chain = l.chain[:len(l.chain)-1]
	l.state[canonical] = 2
	return nil
}

// include reads a file that another file includes. It searches the folder of the including file, then the library.
func (l *loader) include(from *file, inc *includeStmt) {
	path := inc.path
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from.name), inc.path)
	}
	err := l.load(path, from)
	if errors.Is(err, fs.ErrNotExist) {
		if e := l.load(libraryPrefix+filepath.ToSlash(filepath.Clean(inc.path)), from); !errors.Is(e, fs.ErrNotExist) {
			err = e
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.diags.add(fault.NoFile, inc.pos, "cannot find "+quote(inc.path), "searched the folder of "+from.name+" and "+
			"the library")
	case err != nil:
		l.diags.add(unreadableAs(err), inc.pos, fault.Plain(err), "")
	}
}

// read returns the text of a file on disk or in the library.
func (l *loader) read(path string) ([]byte, error) {
	name, isLibrary := strings.CutPrefix(path, libraryPrefix)
	var src []byte
	var err error
	if isLibrary {
		if l.opt.Library == nil || !fs.ValidPath(name) {
			return nil, fs.ErrNotExist
		}
		src, err = fs.ReadFile(l.opt.Library, name)
	} else {
		src, err = l.opt.ReadFile(path)
	}
	if irregular := (*infile.NotRegularError)(nil); errors.As(err, &irregular) {
		return nil, err
	}
	if err != nil {
		return nil, fault.NoFile.Errorf("cannot read %s: %w", path, err)
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) // a byte order mark
	if len(src) > maxFileBytes {
		return nil, faults.TooLarge.Errorf("%s contains %d bytes, but an X file has at most %d bytes (divide the "+
			"file)", path, len(src), maxFileBytes)
	}
	return src, nil
}

// readFile reads a regular file, up to the size limit of an X file.
func readFile(path string) ([]byte, error) {
	return infile.Read(path, maxFileBytes+1)
}
