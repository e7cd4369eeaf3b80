package xeval

import (
	"errors"
	"path/filepath"
	"strings"

	"xopt/deploy/trace"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
)

// Recorder writes the files of rules while a trace is evaluated. For each run of a rule, the files contain the output
// conjunction, the execution time and the waiting time (§4.4). Close moves all files to their final names, or none of
// them.
type Recorder struct {
	files  []*output.Pending
	ofRule [][]int // by block and rule: index of its first file
}

// filesOf returns the names of the files to write for a rule. If the end of the rule's runs is unknown, it returns only
// the file of the waits.
func filesOf(r *Rule) []string {
	if len(r.Outputs) == 0 {
		return []string{waitFile}
	}
	return []string{waitFile, execFile, indexFile}
}

// RecordedFiles returns the names of the files that a [Recorder] writes for the rules of a file.
func RecordedFiles(f *File) []string {
	var names []string
	for i := range f.Blocks {
		names = append(names, blockFiles(&f.Blocks[i])...)
	}
	return names
}

func blockFiles(b *Block) (names []string) {
	for j := range b.Rules {
		for _, what := range filesOf(&b.Rules[j]) {
			names = append(names, timesName(b.Name, j, what))
		}
	}
	return names
}

// headerOf returns the header for a block's files. A block may have the name of its kernel, or that name without the
// surrounding blocks.
func headerOf(block string, of *trace.Header) trace.TSHeader {
	h := trace.TSHeader{Frequency: 1e9}
	origin := of.OriginOf(block)
	for _, x := range of.Origins {
		if strings.HasSuffix(x.Kernel, "."+block) {
			origin = x.Origin
		}
	}
	if word := trace.OriginWord(origin); word != "measured" && word != "" {
		h.Other = map[string]string{"origin": safetext.Cut(origin, 300)}
	}
	return h
}

// NewRecorder starts the files of all rules of a file in an existing folder. Their headers contain the origin of a
// block's times if the header of the trace does.
func NewRecorder(dir string, f *File, of *trace.Header) (*Recorder, error) {
	r := new(Recorder)
	at := 0
	for i := range f.Blocks {
		var firsts []int
		for j := range f.Blocks[i].Rules {
			firsts = append(firsts, at)
			at += len(filesOf(&f.Blocks[i].Rules[j]))
		}
		r.ofRule = append(r.ofRule, firsts)
	}
	for i := range f.Blocks {
		header := headerOf(f.Blocks[i].Name, of)
		for _, name := range blockFiles(&f.Blocks[i]) {
			if err := r.create(filepath.Join(dir, name), header.Text()); err != nil {
				return nil, errors.Join(err, r.Abort())
			}
		}
	}
	return r, nil
}

func (r *Recorder) create(path string, header []byte) error {
	file, err := output.Create(path)
	if err != nil {
		return err
	}
	r.files = append(r.files, file)
	_, err = file.Write(header)
	return err
}

// Add writes a run. It is suitable for Options.Each. Negative times, which the format cannot represent, become 0.
func (r *Recorder) Add(run *Run) error {
	at := r.ofRule[run.Block][run.Rule]
	err := r.put(at, run.Wait())
	if run.Output == NoOutput || err != nil {
		return err
	}
	if err := r.put(at+1, run.Execution()); err != nil {
		return err
	}
	return r.files[at+2].Byte(byte(run.Output + 1))
}

// put writes a time in ps as ns.
func (r *Recorder) put(file int, t int64) error {
	const nanosecond = 1000
	return r.files[file].Uint64(uint64(max(t, 0)+nanosecond/2) / nanosecond)
}

// Close moves the files to their final names.
func (r *Recorder) Close() error {
	for _, file := range r.files {
		if err := file.Settle(); err != nil {
			return errors.Join(err, r.Abort())
		}
	}
	for _, file := range r.files {
		if err := file.Appear(); err != nil {
			return errors.Join(err, r.Abort())
		}
	}
	return nil
}

// Abort removes the files that have not been moved.
func (r *Recorder) Abort() error {
	var errs []error
	for _, file := range r.files {
		errs = append(errs, file.Abort())
	}
	r.files = nil
	return errors.Join(errs...)
}
