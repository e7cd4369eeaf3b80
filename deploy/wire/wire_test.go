package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

// memory returns memory that is aligned to words.
func memory(words int) []byte {
	w := make([]uint64, words)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*words)
}

// TestMirror: after any changes, in any steps, the copy of the ranges is the memory, and nothing else was touched.
func TestMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 64
		mem, copied := memory(words), memory(words)
		ranges := []Range{{8, 80}, {96, 104}, {256, 512}}
		out, in := NewMirror(mem, ranges), NewMirror(copied, ranges)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			for range rapid.IntRange(0, 20).Draw(t, "changes") {
				mem[rapid.IntRange(0, 8*words-1).Draw(t, "at")] = rapid.Byte().Draw(t, "value")
			}
			if err := in.Apply(out.AppendChanges(nil)); err != nil {
				t.Fatal(err)
			}
			for i := range mem {
				inside := slices.ContainsFunc(ranges, func(r Range) bool {
					return uint64(i) >= r.From && uint64(i) < r.To
				})
				if inside && mem[i] != copied[i] || !inside && copied[i] != 0 {
					t.Fatalf("byte %d is %d, of %d", i, copied[i], mem[i])
				}
			}
		}
		if n := len(out.AppendChanges(nil)); n != 0 {
			t.Fatalf("%d bytes tell of no change", n)
		}
	})
}

// TestMirrorRefuses: data from another host never cause a write outside the ranges.
func TestMirrorRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mem := memory(16)
		m := NewMirror(mem, []Range{{16, 48}})
		_ = m.Apply(rapid.SliceOf(rapid.Byte()).Draw(t, "sent"))
		if !bytes.Equal(mem[:16], make([]byte, 16)) || !bytes.Equal(mem[48:], make([]byte, 80)) {
			t.Fatal("memory outside the range was written")
		}
	})
	for _, b := range [][]byte{{0}, {0, 1}, {200, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {4, 1, 1, 2, 3, 4, 5, 6, 7, 8}} {
		if err := NewMirror(memory(8), []Range{{0, 32}}).Apply(b); !errors.Is(err, errMirror) {
			t.Errorf("%v: error %v", b, err)
		}
	}
}

// TestConn: messages arrive unchanged; impossible sizes are rejected before memory is allocated for them.
func TestConn(t *testing.T) {
	var b bytes.Buffer
	c := NewConn(&b, &b)
	sent := Exit{Process: 3, Status: 9}
	if err := errors.Join(c.SendValue(Exited, sent), c.SendNumbers(Pong, -1, 7), c.Send(Stop, nil)); err != nil {
		t.Fatal(err)
	}
	kind, payload, err := c.Receive()
	if got, verr := Value[Exit](payload); kind != Exited || err != nil || verr != nil || got != sent {
		t.Errorf("got %v %v (%v, %v)", kind, got, err, verr)
	}
	kind, payload, err = c.Receive()
	got, nerr := Numbers(payload, 2)
	if kind != Pong || err != nil || nerr != nil || !slices.Equal(got, []int64{-1, 7}) {
		t.Errorf("got %v %v (%v, %v)", kind, got, err, nerr)
	}
	if kind, _, err = c.Receive(); kind != Stop || err != nil {
		t.Errorf("got %v (%v)", kind, err)
	}
	if err := c.Send(Ping, make([]byte, 9)); err == nil {
		t.Error("a message that is too long was sent")
	}
	for _, k := range []Kind{0, Ping, Stop, Bytes, File, Memory, Finished + 1, 255} {
		head := binary.LittleEndian.AppendUint32(nil, 1<<31)
		if _, _, err := NewConn(bytes.NewReader(append(head, byte(k))), io.Discard).Receive(); err == nil ||
			!strings.Contains(err.Error(), "which xopt does not send") {
			t.Errorf("kind %d with 2 GiB: %v", k, err)
		}
	}
	if _, _, err := NewConn(strings.NewReader("\x08\x00\x00\x00\x07abc"), io.Discard).Receive(); err == nil ||
		!strings.Contains(err.Error(), "incomplete") {
		t.Errorf("half a message: %v", err)
	}
}

// TestClock: for any delays in both directions, the error of the offset is within its reported bound. The shortest
// recent round trip determines it.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Clock
		if _, _, ok := c.Offset(); ok {
			t.Fatal("a clock that nobody has asked is known")
		}
		ahead := rapid.Int64Range(-1e12, 1e12).Draw(t, "ahead") // of the other clock
		now := rapid.Int64Range(0, 1e15).Draw(t, "now")
		for range rapid.IntRange(1, 30).Draw(t, "messages") {
			there, back := rapid.Int64Range(0, 1e7).Draw(t, "there"), rapid.Int64Range(0, 1e7).Draw(t, "back")
			c.Add(now, now+there+ahead, now+there+back)
			now += there + back + 5e8
		}
		if offset, inside, _ := c.Offset(); offset+ahead > inside+1 || -offset-ahead > inside+1 {
			t.Fatalf("offset %d within %d, want %d", offset, inside, -ahead)
		}
	})
}

// TestHandshake: both sides prove the secret to each other and agree on the edge.
func TestHandshake(t *testing.T) {
	one, other := net.Pipe()
	secret := bytes.Repeat([]byte{7}, SecretBytes)
	reported := make(chan error, 1)
	go func() { reported <- Offer(one, secret, 12) }()
	if edge, err := Accept(other, secret); edge != 12 || err != nil || <-reported != nil {
		t.Errorf("edge %d, %v", edge, err)
	}
}

// TestReplay: data recorded from one handshake prove nothing in another.
func TestReplay(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, SecretBytes)
	one, other := net.Pipe()
	overheard := &recorder{Conn: one}
	go func() { _ = Offer(overheard, secret, 12) }()
	if _, err := Accept(other, secret); err != nil {
		t.Fatal(err)
	}
	one, other = net.Pipe()
	go func() {
		_, _ = io.ReadFull(one, make([]byte, 40))
		_, _ = one.Write(overheard.said.Bytes())
		_, _ = one.Read(make([]byte, 64))
	}()
	if _, err := Accept(other, secret); !errors.Is(err, ErrStranger) {
		t.Errorf("a replay was accepted: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

type recorder struct {
	net.Conn
	said bytes.Buffer
}

// Write implements io.Writer.
func (r *recorder) Write(b []byte) (int, error) {
	r.said.Write(b)
	return r.Conn.Write(b)
}

// SetDeadline implements net.Conn.
func (r *recorder) SetDeadline(t time.Time) error { return r.Conn.SetDeadline(t) }
