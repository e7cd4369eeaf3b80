package campaign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"xopt/internal/files/infile"
)

// head is the first line of a results file. It describes the lines that follow.
type head struct {
	Tool     string `json:"tool"`
	Schema   int    `json:"schema"`
	Campaign string `json:"campaign"` // hash of the campaign
	Worker   string `json:"worker"`
	Host     string `json:"host"`
	Done     []done `json:"done"`
	Bytes    int    `json:"bytes"`  // size of the lines that follow, one answer per line
	SHA256   string `json:"sha256"` // hash of the lines that follow
}

// done is the record of a completed point.
type done struct {
	N       int     `json:"n"`
	Hash    string  `json:"hash"`
	Seconds float64 `json:"seconds"`
}

// results collects answers for the next results file.
type results struct {
	done []done
	body bytes.Buffer
}

func (r *results) add(p *Point, answer *Output, seconds float64) error {
	text, err := json.Marshal(answer) // on one line
	if err != nil {
		return fmt.Errorf("storing the result of point %d: %w", p.N+1, err)
	}
	r.body.Write(append(text, '\n'))
	r.done = append(r.done, done{N: p.N, Hash: p.Hash, Seconds: seconds})
	return nil
}

// text returns the content of a results file.
func (r *results) text(f *Folder, worker, host string) ([]byte, error) {
	h := head{Tool: "xopt", Schema: Schema, Campaign: f.Hash, Worker: worker, Host: host, Done: r.done,
		Bytes: r.body.Len(), SHA256: sumOf(r.body.Bytes())}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	return append(append(line, '\n'), r.body.Bytes()...), nil
}

// DamagedError reports a results file that cannot be used.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// readHead reads the head of a results file. Errors in the file are of type *DamagedError.
func (f *Folder) readHead(name string) (*head, error) {
	path := f.path(resultsFolder, name)
	file, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(io.LimitReader(file, maxFile)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, err := f.parseHead(line)
	if err == nil && info.Size() != int64(len(line)+h.Bytes) {
		err = fmt.Errorf("it has %d bytes, expected %d", info.Size(), len(line)+h.Bytes)
	}
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	return h, nil
}

func (f *Folder) parseHead(line []byte) (*head, error) {
	h := new(head)
	if err := json.Unmarshal(line, h); err != nil {
		return nil, err
	}
	if h.Tool != "xopt" || h.Schema != Schema || h.Campaign != f.Hash {
		return nil, errors.New("it belongs to another campaign")
	}
	for _, d := range h.Done {
		if d.N < 0 || d.N >= len(f.Points) || f.Points[d.N].Hash != d.Hash {
			return nil, fmt.Errorf("it contains point %d, which this campaign does not have", d.N+1)
		}
	}
	return h, nil
}

// readAnswers reads a complete results file and verifies its checksum.
func (f *Folder) readAnswers(name string) (*head, [][]byte, error) {
	path := f.path(resultsFolder, name)
	text, err := infile.Read(path, maxFile)
	if err != nil {
		return nil, nil, err
	}
	damaged := func(err error) (*head, [][]byte, error) { return nil, nil, &DamagedError{path, err} }
	line, body, _ := bytes.Cut(text, []byte{'\n'})
	h, err := f.parseHead(line)
	if err != nil {
		return damaged(err)
	}
	if len(body) != h.Bytes || sumOf(body) != h.SHA256 {
		return damaged(errors.New("its checksum does not match"))
	}
	lines := bytes.Split(bytes.TrimSuffix(body, []byte{'\n'}), []byte{'\n'})
	if len(lines) != len(h.Done) && len(h.Done) > 0 {
		return damaged(fmt.Errorf("it has %d results, expected %d", len(lines), len(h.Done)))
	}
	return h, lines, nil
}

// Answer is the result of a completed point.
type Answer struct {
	Output
	Seconds float64
	Host    string
	text    []byte // the output as stored
}

// Answers returns all answers, indexed by point. The answer of an unfinished point is nil. Points in damaged
// files count as unfinished, and damaged lists these files. differ lists the points with two different answers, whose
// command is not deterministic.
func (f *Folder) Answers() (list []*Answer, damaged []error, differ []int, err error) {
	names, err := f.names(resultsFolder)
	if err != nil {
		return nil, nil, nil, err
	}
	list = make([]*Answer, len(f.Points))
	for _, name := range names {
		if filepath.Ext(name) != resultEnding {
			continue
		}
		h, answers, err := f.readAnswers(name)
		var d *DamagedError
		if errors.As(err, &d) {
			damaged = append(damaged, err)
			continue
		} else if err != nil {
			return nil, nil, nil, fmt.Errorf("reading results: %w", err)
		}
		for i, x := range h.Done {
			switch old := list[x.N]; {
			case old == nil:
				a := &Answer{Seconds: x.Seconds, Host: h.Host, text: answers[i]}
				if err := json.Unmarshal(a.text, &a.Output); err != nil {
					return nil, nil, nil, fmt.Errorf("reading the result of point %d: %w", x.N+1, err)
				}
				list[x.N] = a
			case !bytes.Equal(old.text, answers[i]):
				differ = append(differ, x.N)
			}
		}
	}
	return list, damaged, differ, nil
}

// resultEnding is the extension of results files.
const resultEnding = ".jsonl"
