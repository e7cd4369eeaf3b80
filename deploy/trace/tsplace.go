package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
	"xopt/internal/files/scratch"
	"xopt/internal/units"
)

// TSListName is the file in a folder of .ts files that lists all files written together. If one of these files is
// missing, the trace is incomplete and reading fails. Folders of X-Sim have no such file.
const TSListName = "xopt-trace.txt"

// TSListMark is the first line of the list.
const TSListMark = "# xopt trace wrote these files together; they form one trace"

// maxList is the maximum size in bytes of a list.
const maxList = 64 << 20

// WriteTS writes a table to a folder as in the thesis (Gayen 2008 §3.3.1). There is a file for each port or testpoint
// and kind of event. If the table contains elements, there is also a file for the elements sent or consumed at each
// port. WriteTS first writes all files to another folder. If writing a file fails, WriteTS moves no file into place.
func WriteTS(folder string, t Table) (err error) {
	list, err := tsStreams(t.Header())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating a folder for traces: %w", err)
	}
	beside, err := scratch.Dir(folder, "."+TSListName+"-")
	if err != nil {
		return fmt.Errorf("writing in %s: %w", folder, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	var names []string
	for i := range list {
		x := &list[i]
		path := filepath.Join(beside, x.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("creating a folder for traces: %w", err)
		}
		if err := writeTS(path, t, x.streams); err != nil {
			return err
		}
		names = append(names, x.name)
		hasElements1, err := x.hasElements(t)
		if hasElements1 && err == nil {
			err = writeDat(datOf(path), t, x.streams)
			names = append(names, datOf(x.name))
		}
		if err != nil {
			return err
		}
	}
	return place(folder, beside, names)
}

// place moves files from another folder into a folder. It first writes the list. It removes the files in the list
// before it replaces them, so that after an interruption files of the list are missing and reading fails.
func place(folder, beside string, names []string) (err error) {
	list := filepath.Join(folder, TSListName)
	if err := output.WriteFile(list, func(w io.Writer) error {
		_, err := io.WriteString(w, TSListMark+"\n"+strings.Join(names, "\n")+"\n")
		return err
	}); err != nil {
		return err
	}
	defer func() {
		if err != nil { // remove all files instead of leaving some of them
			for _, n := range append(names, TSListName) {
				_ = os.Remove(filepath.Join(folder, n))
			}
		}
	}()
	for _, n := range names {
		if err := os.Remove(filepath.Join(folder, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replacing the files of a trace: %w", err)
		}
	}
	for _, n := range names {
		to := filepath.Join(folder, n)
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err = errors.Join(err, os.Rename(filepath.Join(beside, n), to)); err != nil {
			return fmt.Errorf("moving the files of a trace into their folder: %w", err)
		}
	}
	output.SyncFolder(folder)
	return nil
}

// listed returns the files that the list of a folder names, relative to the folder; nil if the folder has no list. A
// missing file is an error.
func listed(folder string) ([]string, error) {
	path := filepath.Join(folder, TSListName)
	text, err := infile.Read(path, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of files of a trace: %w", err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if lines[0] != TSListMark {
		return nil, nil // a file of another program
	}
	var missing []string
	for _, n := range lines[1:] {
		if !filepath.IsLocal(n) {
			return nil, faults.DamagedTrace.Errorf("%s: the list contains %q, which is not a name of a file in the "+
				"same folder", path,
				n)
		}
		if _, err := os.Stat(filepath.Join(folder, n)); err != nil {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		err = fmt.Errorf("%s does not contain %s", folder, units.Some(missing, 2))
	}
	if err != nil {
		return nil, faults.DamagedTrace.Errorf("%w of the %d files that xopt wrote together, so the trace is "+
			"incomplete: write it again, or remove %s to read the existing files", err, len(lines)-1, path)
	}
	return lines[1:], nil
}
