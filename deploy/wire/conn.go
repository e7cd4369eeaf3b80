package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// Kind is the type of a message.
type Kind uint8

// The kinds. The controller of a run sends the kinds up to Stop. Its parts send the other kinds.
const (
	Hello   Kind = iota + 1 // the greeting of package run
	File                    // FileHead; Bytes follow
	Bytes                   // raw content of a file; an empty message ends the file
	Connect                 // Connections: addresses at which the other hosts listen
	Start                   // Processors: start the processes
	Memory                  // words of shared memory, encoded by Mirror
	Ping                    // the sender's clock
	Offset                  // offset from a host's clock to the controller's clock
	Stop                    // the run has ended

	Ready    // Machine
	Listens  // Listening
	Joined   // Strangers: all connections are made
	Pong     // the time in the Ping, and the part's own time
	Printed  // Output
	Exited   // Exit
	Failed   // Trouble
	Finished // nothing follows
)

// maxBytes returns the maximum size of a message in bytes.
func (k Kind) maxBytes() int {
	switch k {
	case Hello, Memory:
		return 64 << 20 // description of a large application, or all of its counters
	case Bytes, Printed:
		return ChunkBytes
	case Ping, Offset:
		return 8
	case Pong:
		return 16
	case Stop, Finished:
		return 0
	case File, Connect, Start, Ready, Listens, Joined, Exited, Failed:
		return 1 << 20
	}
	return -1
}

// ChunkBytes is the maximum number of file bytes in one message.
const ChunkBytes = 64 << 10

// Version is the version of this protocol. Hosts with different versions cannot work together.
const Version = 3

// banner returns the first line that a part of a run prints. It distinguishes the output of the part from that of a
// login shell or another program. It contains the operating system and the architecture, because hosts exchange
// compiled programs.
func banner(version string) string {
	return fmt.Sprintf("xopt part %d %s %s/%s", Version, version, runtime.GOOS, runtime.GOARCH)
}

// Conn exchanges messages. One goroutine may send while another receives.
type Conn struct {
	r  *bufio.Reader
	mu sync.Mutex
	w  io.Writer
}

// NewConn returns a connection over a reader and a writer.
func NewConn(r io.Reader, w io.Writer) *Conn { return &Conn{r: bufio.NewReaderSize(r, 1<<16), w: w} }

// Announce sends the identity of this program. It must precede all messages.
func (c *Conn) Announce(version string) error {
	_, err := fmt.Fprintln(c.w, banner(version))
	return err
}

// maxBanner is the maximum number of bytes to read from another program.
const maxBanner = 1 << 10

// Recognize reads the identity that Announce sends on the other side. It returns an error if the identities differ.
func (c *Conn) Recognize(version string) error {
	var line []byte
	for len(line) < maxBanner {
		b, err := c.r.ReadByte()
		if err != nil {
			if len(line) > 0 {
				return faults.WrongPeer.Errorf("the program printed %q and ended", safetext.Line(string(line)))
			}
			return err
		}
		if b == '\n' {
			break
		}
		line = append(line, b)
	}
	switch answer := strings.TrimRight(string(line), "\r"); {
	case answer == banner(version):
		return nil
	case !strings.HasPrefix(answer, "xopt part "):
		return faults.WrongPeer.Errorf("the answer does not come from xopt part: %q", safetext.Line(answer))
	default:
		return fault.OtherVersion.Errorf("the xopt versions differ: %q on the host, %q here (install the same version "+
			"on both hosts)", safetext.Line(answer), banner(version))
	}
}

// Send sends a message.
func (c *Conn) Send(k Kind, payload []byte) error {
	if len(payload) > k.maxBytes() {
		return fmt.Errorf("a message of kind %d has %d bytes, expected at most %d", k, len(payload), k.maxBytes())
	}
	message := make([]byte, 5+len(payload))
	binary.LittleEndian.PutUint32(message, uint32(len(payload)))
	message[4] = byte(k)
	copy(message[5:], payload)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.w.Write(message)
	return err
}

// SendValue sends a value that Value decodes.
func (c *Conn) SendValue(k Kind, v any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return fmt.Errorf("encoding a message of kind %d: %w", k, err)
	}
	return c.Send(k, b.Bytes())
}

// SendNumbers sends 64-bit numbers.
func (c *Conn) SendNumbers(k Kind, numbers ...int64) error {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return c.Send(k, b)
}

// Receive waits for a message.
func (c *Conn) Receive() (Kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, nil, err
	}
	k, n := Kind(head[4]), binary.LittleEndian.Uint32(head[:])
	if maximum := k.maxBytes(); int64(n) > int64(maximum) {
		return 0, nil, faults.WrongPeer.Errorf("received a message of kind %d and %d bytes, which xopt does not send",
			k, n)
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return 0, nil, fmt.Errorf("a message is incomplete: %w", err)
	}
	return k, payload, nil
}

// Value decodes a payload sent by SendValue.
func Value[T any](payload []byte) (v T, err error) {
	if err := gob.NewDecoder(bytes.NewReader(payload)).Decode(&v); err != nil {
		return v, fmt.Errorf("reading a message: %w", err)
	}
	return v, nil
}

// Numbers decodes the given count of numbers sent by SendNumbers.
func Numbers(payload []byte, count int) ([]int64, error) {
	if len(payload) != 8*count {
		return nil, fmt.Errorf("a message has %d bytes, expected %d bytes", len(payload), 8*count)
	}
	numbers := make([]int64, count)
	for i := range numbers {
		numbers[i] = int64(binary.LittleEndian.Uint64(payload[8*i:]))
	}
	return numbers, nil
}
