package campaign

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"time"

	"xopt/internal/files/infile"
)

// Beat is the file of a worker. Its count goes up while the worker lives.
type Beat struct {
	Worker string  `json:"worker"`
	By     Process `json:"by"`
	Count  int     `json:"count"`
	Slots  int     `json:"slots"` // points at once
	Used   int     `json:"used"`  // cores
	Given  int     `json:"given"` // cores, by the affinity of the process
	Ended  bool    `json:"ended,omitempty"`
	Node   string  `json:"node,omitempty"` // the name of its machine in the campaign or for a scheduler
	Job    string  `json:"job,omitempty"`  // of a scheduler
	Clock  string  `json:"clock"`          // of its machine, for who reads it
}

// At returns the name of the machine of a worker.
func (b *Beat) At() string { return cmp.Or(b.Node, b.By.Host) }

// heard is what an observer has heard of a worker.
type heard struct {
	beat Beat
	at   time.Time // by the observer's own clock, when the count was last seen to change
}

// writeBeat writes the file of a worker.
func (f *Folder) writeBeat(b *Beat) error {
	b.Count++
	b.Clock = time.Now().UTC().Format(time.RFC3339)
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return f.put(filepath.Join(workersFolder, b.Worker+".json"), append(text, '\n'))
}

// readBeat reads the file of a worker.
func (f *Folder) readBeat(name string) (*Beat, error) {
	text, err := infile.Read(f.path(workersFolder, name), maxFile)
	if err != nil {
		return nil, err
	}
	b := new(Beat)
	return b, json.Unmarshal(text, b)
}
