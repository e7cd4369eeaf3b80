package xeval

import (
	"errors"
	"path/filepath"

	"xopt/deploy/trace"
)

// SubstituteWriter writes the files of a substituted block: the times at which its inputs were consumed and its outputs
// sent. Close moves the files to their final names.
type SubstituteWriter struct{ files map[string]*trace.TSWriter }

// SubstitutedFiles returns the names of the files that a [SubstituteWriter] writes for a block, without folders. The
// rules of the block read these files as in_event and out_event.
func SubstitutedFiles(b *Block) []string {
	var names []string
	for i := range b.Ports {
		for _, k := range []Kind{In, Out} {
			if e := b.Ports[i].event(k); e != nil {
				names = append(names, filepath.Base(e.File))
			}
		}
	}
	return names
}

// NewSubstituteWriter creates the files of a block in an existing folder.
func NewSubstituteWriter(dir string, b *Block) (*SubstituteWriter, error) {
	w := &SubstituteWriter{files: make(map[string]*trace.TSWriter)}
	for _, name := range SubstitutedFiles(b) {
		if w.files[name] != nil {
			continue
		}
		file, err := trace.CreateTS(filepath.Join(dir, name))
		if err != nil {
			return nil, errors.Join(err, w.Abort())
		}
		w.files[name] = file
	}
	return w, nil
}

// Emit writes n events of a port, with a time in ps. It is suitable for [Substitute].
func (w *SubstituteWriter) Emit(p *Port, k Kind, time int64, n int) error {
	file := w.files[filepath.Base(p.event(k).File)]
	for range n {
		if err := file.Put(time); err != nil {
			return err
		}
	}
	return nil
}

// Close moves the files to their final names.
func (w *SubstituteWriter) Close() error {
	for name, file := range w.files {
		delete(w.files, name)
		if err := file.Close(); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return nil
}

// Abort removes the files that have not been moved.
func (w *SubstituteWriter) Abort() error {
	var errs []error
	for _, file := range w.files {
		errs = append(errs, file.Abort())
	}
	w.files = nil
	return errors.Join(errs...)
}
