package xeval

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/trace"
	"xopt/internal/files/infile"
)

// The files that X-Eval writes for each rule (§4.4).
const (
	indexFile = "index" // output conjunction that ended each run, from 1, one byte each
	execFile  = "exec"  // execution time of each run in ns, 64 bits
	waitFile  = "wait"  // waiting time of each run in ns, 64 bits
)

// timesName returns the name of a rule's file: "top_rule1_exec.ts".
func timesName(block string, rule int, what string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`.[]/\: `, r) {
			return '_'
		}
		return r
	}, block) + "_" + RuleName(rule) + "_" + what + ".ts"
}

// header is the header of a file of times.
type header struct {
	*trace.TSHeader
	mean, deviation float64 // seconds, for a normal distribution that replaces the entries
	drawn           bool
}

// readHeader reads the 512 bytes of a header. Times are in ns if the header has no frequency.
func readHeader(text []byte) (h header, err error) {
	if h.TSHeader, err = trace.ReadTSHeader(text); err != nil {
		return h, err
	}
	deviates := false
	for key, value := range h.Other {
		to := &h.mean
		switch key {
		case "mean":
			h.drawn = true
		case "stdev", "stddev": // the text and a listing of the thesis differ
			to, deviates = &h.deviation, true
		default:
			continue
		}
		if *to, err = strconv.ParseFloat(value, 64); err != nil || !(*to >= 0) || *to > maxSeconds {
			return h, faults.WrongTimesFile.Errorf("the header has %s=%s, expected seconds from 0 to %g", key,
				value, float64(maxSeconds))
		}
	}
	if deviates && !h.drawn {
		return h, faults.WrongTimesFile.Errorf("the header has a stdev but no mean")
	}
	return h, nil
}

// maxSeconds is the maximum duration of a run of a rule in seconds.
const maxSeconds = 1e6

// Times are the execution times of a rule in one run of an application, for use in another run. They are the contents
// of the rule's _exec.ts and _index.ts. If the header of _exec.ts has a mean, times are drawn from a normal
// distribution (§5.2.2), and negative draws become 0.
type Times struct {
	exec, index    *os.File
	times, indices *bufio.Reader
	head           header
	random         *rand.Rand
	size           uint64 // number of times in the file
	outputs        int
	used           uint64
	// Repeated is the number of times that were reused, starting with the first, because the file is too short.
	Repeated uint64
	// Clipped is the number of negative draws.
	Clipped uint64
}

// OpenTimes opens the times of a rule in a folder. outputs is the number of the rule's output conjunctions. seed is for
// draws.
func OpenTimes(dir, block string, rule, outputs int, seed uint64) (_ *Times, err error) {
	t := &Times{outputs: outputs, random: rand.New(rand.NewPCG(seed, uint64(rule)))}
	path := filepath.Join(dir, timesName(block, rule, execFile))
	defer func() {
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				err = fmt.Errorf("%s: %w", path, err)
			}
			err = errors.Join(fmt.Errorf("reading the times of %s of block %s: %w", RuleName(rule), block, err),
				t.Close())
		}
	}()
	if t.exec, t.head, err = openTS(path); err != nil {
		return t, err
	}
	if t.size, err = entries(t.exec, 8); err != nil {
		return t, err
	}
	if t.size == 0 && !t.head.drawn {
		return t, faults.WrongTimesFile.Errorf("the file contains no times, and its header has no mean")
	}
	t.times = bufio.NewReader(t.exec)
	path = filepath.Join(dir, timesName(block, rule, indexFile))
	if t.index, _, err = openTS(path); err != nil {
		if outputs == 1 && errors.Is(err, os.ErrNotExist) {
			return t, nil // there is only one way to end
		}
		return t, err
	}
	n, err := entries(t.index, 1)
	if err != nil {
		return t, err
	}
	if !t.head.drawn && n != t.size || n == 0 {
		return t, faults.WrongTimesFile.Errorf("the file contains %d runs, but %s contains the times of %d runs", n,
			timesName(block, rule, execFile), t.size)
	}
	t.indices = bufio.NewReader(t.index)
	return t, nil
}

// openTS opens a .ts file and skips its header.
func openTS(path string) (*os.File, header, error) {
	f, err := infile.Open(path)
	if err != nil {
		return nil, header{}, err
	}
	text := make([]byte, trace.TSHeaderBytes)
	if _, err := io.ReadFull(f, text); err != nil {
		return f, header{}, faults.WrongTimesFile.Errorf("the file is shorter than a header of %d bytes",
			trace.TSHeaderBytes)
	}
	h, err := readHeader(text)
	return f, h, err
}

// entries returns the number of entries of the given size in a file after its header.
func entries(f *os.File, size int64) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	n := info.Size() - trace.TSHeaderBytes
	if n%size != 0 {
		return 0, faults.WrongTimesFile.Errorf("the file is truncated: %d bytes follow the last complete time", n%size)
	}
	return uint64(n / size), nil
}

// Drawn reports whether times are drawn. Their number is then unlimited. Size returns the number of times in the file.
func (t *Times) Drawn() bool  { return t.head.drawn }
func (t *Times) Size() uint64 { return t.size }

// Origin returns the origin of the times, in the words of a trace.Origin. It is "" if the header contains none.
func (t *Times) Origin() string { return t.head.Other["origin"] }

// Next returns the next execution time in ps, and the output conjunction with which the run ends, from 0.
func (t *Times) Next() (execution int64, output int, err error) {
	if t.indices != nil {
		b, err := t.indices.ReadByte()
		if errors.Is(err, io.EOF) {
			if err = rewind(t.index, t.indices); err == nil {
				b, err = t.indices.ReadByte()
			}
		}
		if err != nil {
			return 0, 0, fmt.Errorf("reading %s: %w", t.index.Name(), err)
		}
		if b < 1 || int(b) > t.outputs {
			return 0, 0, faults.WrongTimesFile.Errorf("%s: run %d ended with output conjunction %d, but the rule has "+
				"only %d output conjunctions", t.index.Name(), t.used+1, b, t.outputs)
		}
		output = int(b) - 1
	}
	t.used++
	if t.head.drawn {
		s := t.head.mean + t.head.deviation*t.random.NormFloat64()
		if s < 0 {
			s = 0
			t.Clipped++
		}
		return int64(math.Round(s / picosecond)), output, nil
	}
	if t.used > t.size {
		t.Repeated++
	}
	var b [8]byte
	_, err = io.ReadFull(t.times, b[:])
	if errors.Is(err, io.EOF) {
		if err = rewind(t.exec, t.times); err == nil {
			_, err = io.ReadFull(t.times, b[:])
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("reading %s: %w", t.exec.Name(), err)
	}
	ps, ok := t.head.Time(binary.LittleEndian.Uint64(b[:]))
	if !ok || ps > maxSeconds*trace.PerSecond {
		return 0, 0, faults.WrongTimesFile.Errorf("%s: the time of run %d is above %g s, or negative",
			t.exec.Name(), t.used, float64(maxSeconds))
	}
	return ps, output, nil
}

// rewind returns to the position after the header.
func rewind(f *os.File, r *bufio.Reader) error {
	if _, err := f.Seek(trace.TSHeaderBytes, io.SeekStart); err != nil {
		return err
	}
	r.Reset(f)
	return nil
}

// Close closes the files.
func (t *Times) Close() error {
	var errs []error
	for _, f := range []*os.File{t.exec, t.index} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
