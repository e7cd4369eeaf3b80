package xeval

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"xopt/internal/output"
	"xopt/internal/trace"
)

// Recorder writes the files of rules while a trace is evaluated: for each rule which output
// conjunction, how long the execution, and how long the wait of each run was (§4.4). Files appear
// under their names in Close, all or none.
type Recorder struct {
	files  []*recorded
	ofRule [][]int // of each block and rule, the first of its files
}

// recorded is a file that is being written.
type recorded struct {
	path string
	file *os.File
	out  *bufio.Writer
}

// filesOf are what is written for a rule: the wait alone where nothing tells when runs end.
func filesOf(r *Rule) []string {
	if len(r.Outputs) == 0 {
		return []string{waitFile}
	}
	return []string{waitFile, execFile, indexFile}
}

// RecordedFiles are the names of the files that a [Recorder] writes for the rules of a file.
func RecordedFiles(f *File) []string {
	var names []string
	for i := range f.Blocks {
		for j := range f.Blocks[i].Rules {
			for _, what := range filesOf(&f.Blocks[i].Rules[j]) {
				names = append(names, timesName(f.Blocks[i].Name, j, what))
			}
		}
	}
	return names
}

// NewRecorder begins the files of all rules of a file, in a folder that is there.
func NewRecorder(dir string, f *File) (*Recorder, error) {
	r := new(Recorder)
	nanoseconds := trace.TSHeader{Frequency: 1e9}
	at := 0
	for i := range f.Blocks {
		var firsts []int
		for j := range f.Blocks[i].Rules {
			firsts = append(firsts, at)
			at += len(filesOf(&f.Blocks[i].Rules[j]))
		}
		r.ofRule = append(r.ofRule, firsts)
	}
	for _, name := range RecordedFiles(f) {
		if err := r.create(filepath.Join(dir, name), nanoseconds.Text()); err != nil {
			return nil, errors.Join(err, r.Abort())
		}
	}
	return r, nil
}

func (r *Recorder) create(path string, header []byte) error {
	file, err := output.CreateTemp(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	x := &recorded{path: path, file: file, out: bufio.NewWriter(file)}
	r.files = append(r.files, x)
	if _, err := x.out.Write(header); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// Add is an Options.Each: it writes a run. Times below 0, which the format cannot hold, are 0.
func (r *Recorder) Add(run *Run) error {
	at := r.ofRule[run.Block][run.Rule]
	err := r.put(at, run.Wait())
	if run.Output == NoOutput || err != nil {
		return err
	}
	if err := r.put(at+1, run.Execution()); err != nil {
		return err
	}
	if err := r.files[at+2].out.WriteByte(byte(run.Output + 1)); err != nil {
		return fmt.Errorf("writing %s: %w", r.files[at+2].path, err)
	}
	return nil
}

// put writes a time in ps as ns.
func (r *Recorder) put(file int, t int64) error {
	const nanosecond = 1000
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(max(t, 0)+nanosecond/2)/nanosecond)
	if _, err := r.files[file].out.Write(b[:]); err != nil {
		return fmt.Errorf("writing %s: %w", r.files[file].path, err)
	}
	return nil
}

// Close puts the files in their places.
func (r *Recorder) Close() error {
	for _, x := range r.files {
		err := x.out.Flush()
		if err == nil {
			err = x.file.Chmod(0o644)
		}
		if err == nil {
			err = x.file.Sync()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", x.path, err), r.Abort())
		}
	}
	for len(r.files) > 0 {
		x := r.files[0]
		if err := errors.Join(x.file.Close(), os.Rename(x.file.Name(), x.path)); err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", x.path, err), r.Abort())
		}
		r.files = r.files[1:]
	}
	return nil
}

// Abort removes what is not in its place.
func (r *Recorder) Abort() error {
	var errs []error
	for _, x := range r.files {
		if err := x.file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
		errs = append(errs, os.Remove(x.file.Name()))
	}
	r.files = nil
	return errors.Join(errs...)
}
