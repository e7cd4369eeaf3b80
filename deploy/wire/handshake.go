package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"xopt/deploy/faults"
)

// Patience is the timeout for identifying the other side of a new connection.
const Patience = 3 * time.Second

const nonceBytes = 32

// magic starts the messages of both sides and distinguishes them from other programs.
var magic = [8]byte{'x', 'o', 'p', 't', 'e', 'd', 'g', Version}

// ErrStranger reports a peer that cannot prove that it knows the secret of the run, or that does not use xopt's
// protocol.
var ErrStranger = errors.New("not a host of this run")

// proof returns a proof that one side knows the secret, for an edge and the other side's fresh nonce. role prevents one
// side from reusing the other side's proof.
func proof(secret []byte, role string, edge uint32, mine, yours []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(magic[:])
	h.Write([]byte(role))
	h.Write(binary.LittleEndian.AppendUint32(nil, edge))
	h.Write(mine)
	h.Write(yours)
	return h.Sum(nil)
}

// Offer opens a new connection. It names the edge, proves that this side knows the secret, and requires the same proof
// from the other side.
func Offer(c net.Conn, secret []byte, edge int) error {
	if err := c.SetDeadline(time.Now().Add(Patience)); err != nil {
		return err
	}
	var hello [len(magic) + nonceBytes]byte // greeting of the listening side
	if _, err := io.ReadFull(c, hello[:]); err != nil {
		return faults.WrongPeer.Errorf("no answer: %w", err)
	}
	if [8]byte(hello[:8]) != magic {
		return faults.WrongPeer.Errorf("%w: it uses another version of the protocol", ErrStranger)
	}
	theirs := hello[8:]
	own, err := nonce()
	if err != nil {
		return err
	}
	output := append(magic[:len(magic):len(magic)], own...)
	output = binary.LittleEndian.AppendUint32(output, uint32(edge))
	output = append(output, proof(secret, "offer", uint32(edge), own, theirs)...)
	if _, err := c.Write(output); err != nil {
		return err
	}
	var answer [sha256.Size]byte
	if _, err := io.ReadFull(c, answer[:]); err != nil {
		return faults.WrongPeer.Errorf("%w: it closed the connection, probably because its secret differs: %w",
			ErrStranger, err)
	}
	if !hmac.Equal(answer[:], proof(secret, "accept", uint32(edge), theirs, own)) {
		return faults.WrongPeer.Errorf("%w: it does not have the secret of the run", ErrStranger)
	}
	return c.SetDeadline(time.Time{})
}

// Accept is the counterpart of Offer and returns the edge. Before its proof, the other side receives only the nonce.
func Accept(c net.Conn, secret []byte) (edge int, err error) {
	if err := c.SetDeadline(time.Now().Add(Patience)); err != nil {
		return 0, err
	}
	own, err := nonce()
	if err != nil {
		return 0, err
	}
	if _, err := c.Write(append(magic[:len(magic):len(magic)], own...)); err != nil {
		return 0, err
	}
	var hello [len(magic) + nonceBytes + 4 + sha256.Size]byte
	if _, err := io.ReadFull(c, hello[:]); err != nil {
		return 0, faults.WrongPeer.Errorf("%w: its answer does not come from xopt: %w", ErrStranger, err)
	}
	if [8]byte(hello[:8]) != magic {
		return 0, faults.WrongPeer.Errorf("%w: it uses another version of the protocol", ErrStranger)
	}
	theirs, number := hello[8:8+nonceBytes], binary.LittleEndian.Uint32(hello[8+nonceBytes:])
	if !hmac.Equal(hello[len(hello)-sha256.Size:], proof(secret, "offer", number, theirs, own)) {
		return 0, faults.WrongPeer.Errorf("%w: it does not have the secret of the run", ErrStranger)
	}
	if _, err := c.Write(proof(secret, "accept", number, own, theirs)); err != nil {
		return 0, err
	}
	return int(number), c.SetDeadline(time.Time{})
}

// nonce returns a random nonce.
func nonce() ([]byte, error) {
	b := make([]byte, nonceBytes)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("generating a random number: %w", err)
	}
	return b, nil
}

// Clock estimates the offset of another host's clock from round-trip messages. It assumes equal delays in both
// directions: the host's time then belongs to the middle of the round trip. The error is at most half the round trip.
// Therefore Clock uses the shortest of the recent round trips, like NTP (RFC 5905 §10).
type Clock struct {
	mu   sync.Mutex
	last [clockLast]trip
	n    int
}

// clockLast is the number of recent round trips to use.
const clockLast = 8

type trip struct{ duration, offset int64 }

// Add adds a round trip. sent and answered are the times on this host at which the message was sent and the answer
// arrived. there is the other host's time between them. All times are in ns.
func (c *Clock) Add(sent, there, answered int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[c.n%clockLast] = trip{answered - sent, sent + (answered-sent)/2 - there}
	c.n++
}

// Offset returns the value to add to the other host's clock to obtain this host's clock, and its maximum error, in ns.
// ok reports whether there has been a round trip.
func (c *Clock) Offset() (offset, inside int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		return 0, 0, false
	}
	best := c.last[0]
	for _, t := range c.last[1:min(c.n, clockLast)] {
		if t.duration < best.duration {
			best = t
		}
	}
	return best.offset, best.duration / 2, true
}
