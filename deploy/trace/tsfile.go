package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/files/infile"
)

// TSHeaderBytes is the size of the header of a .ts file (Gayen 2008 §3.3.1).
const TSHeaderBytes = 512

// tsMark is the first line of a .ts file.
const tsMark = "#XTSFile"

// TSHeader is the header of a .ts file (Gayen 2008 Fig. 3.20). 64-bit little-endian ticks follow it.
type TSHeader struct {
	Frequency uint64 // ticks per second
	Offset    uint64 // tick at which the run began
	// Other contains the other lines KEY=VALUE, such as compile_time, without the # before the key.
	Other map[string]string
}

// usualFrequency is the frequency of a file whose header has none, such as a file of an HDL simulation.
const usualFrequency = 1e9

// Text returns the 512 bytes of the header. It drops lines of Other that do not fit.
func (h *TSHeader) Text() []byte {
	text := fmt.Appendf(nil, "%s\nfreq=%d\n", tsMark, h.Frequency)
	footer := fmt.Appendf(nil, "offset=%d\nend\n", h.Offset)
	for _, key := range slices.Sorted(maps.Keys(h.Other)) {
		if line := "#" + key + "=" + h.Other[key] + "\n"; len(text)+len(line)+len(footer) <= TSHeaderBytes {
			text = append(text, line...)
		}
	}
	text = append(text, footer...)
	for len(text) < TSHeaderBytes {
		text = append(text, '\n')
	}
	return text
}

// ReadTSHeader reads a header of 512 bytes.
func ReadTSHeader(text []byte) (*TSHeader, error) {
	h := &TSHeader{Frequency: usualFrequency, Other: make(map[string]string)}
	if len(text) < TSHeaderBytes {
		return nil, faults.WrongTSFile.Errorf("the file is shorter than the header of %d bytes of a .ts file",
			TSHeaderBytes)
	}
	lines := strings.Split(string(text[:TSHeaderBytes]), "\n")
	if strings.TrimSpace(lines[0]) != tsMark {
		return nil, faults.WrongTSFile.Errorf("the file does not start with %s: it is not a .ts file", tsMark)
	}
	for _, line := range lines[1:] {
		line = strings.TrimSpace(line)
		if line == "end" {
			return h, nil
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "#"), "=")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		var err error
		switch key {
		case "freq":
			f, ferr := strconv.ParseFloat(value, 64)
			if ferr != nil || !(f >= 1) || f > 1e15 || f != math.Trunc(f) {
				err = faults.WrongTSFile.Errorf("the header has freq=%s, expected the number of ticks per second",
					value)
			}
			h.Frequency = uint64(max(1, min(f, 1e15)))
		case "offset":
			if h.Offset, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = faults.WrongTSFile.Errorf("the header has offset=%s, expected the tick at the start of the run",
					value)
			}
		default:
			h.Other[key] = value
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, faults.WrongTSFile.Errorf("the header of %d bytes has no line \"end\"", TSHeaderBytes)
}

// Time converts a tick to a time in ps since the start of the run, rounded. It returns false if the time is before the
// start or too late for an Event.
func (h *TSHeader) Time(tick uint64) (int64, bool) {
	if tick < h.Offset {
		return 0, false
	}
	high, low := bits.Mul64(tick-h.Offset, PerSecond)
	low, carry := bits.Add64(low, h.Frequency/2, 0)
	if high += carry; high >= h.Frequency {
		return 0, false
	}
	ps, _ := bits.Div64(high, low, h.Frequency)
	return int64(ps), ps <= math.MaxInt64
}

// TSFile reads a .ts file.
type TSFile struct {
	TSHeader
	Count  uint64 // number of ticks in the file
	path   string
	file   *os.File
	in     *bufio.Reader
	read   uint64
	before int64
}

// OpenTS opens a .ts file, and reads its header.
func OpenTS(path string) (*TSFile, error) {
	file, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	t := &TSFile{path: path, file: file, in: bufio.NewReaderSize(file, 1<<16)}
	fail := func(err error) (*TSFile, error) {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	text := make([]byte, TSHeaderBytes)
	n, err := io.ReadFull(t.in, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fail(err)
	}
	h, err := ReadTSHeader(text[:n])
	if err != nil {
		return fail(err)
	}
	info, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	t.TSHeader = *h
	const tickBytes = 8
	size := info.Size() - TSHeaderBytes
	if t.Count = uint64(size) / tickBytes; size%tickBytes != 0 {
		return fail(faults.WrongTSFile.Errorf("the file is truncated: %d bytes follow the last complete timestamp",
			size%tickBytes))
	}
	return t, nil
}

// Next returns the next time in ps since the start of the run, and io.EOF after the last. Times must not decrease.
func (t *TSFile) Next() (int64, error) {
	var b [8]byte
	if _, err := io.ReadFull(t.in, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("reading %s: %w", t.path, err)
	}
	t.read++
	tick := binary.LittleEndian.Uint64(b[:])
	ps, ok := t.Time(tick)
	switch {
	case !ok:
		return 0, faults.WrongTSFile.Errorf("%s: time %d (tick %d) is before the start of the run (tick %d), or "+
			"later than a trace can store", t.path, t.read, tick, t.Offset)
	case ps < t.before:
		return 0, fmt.Errorf("%s: time %d: %w", t.path, t.read, ErrOrder)
	}
	t.before = ps
	return ps, nil
}

// Close closes the file.
func (t *TSFile) Close() error { return t.file.Close() }
