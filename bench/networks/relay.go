package networks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// relay is a switch with a cable to each host, all in this process: a packet takes its time at the bandwidth of the
// sender's cable, then at that of the receiver's, and arrives a delay later. Packets stay in order. What would wait for
// longer than longestQueue is dropped, as at a port of a switch.
type relay struct {
	cable   Cable
	ports   []*port
	stalled atomic.Bool
	over    sync.WaitGroup
}

// port is the cable of one host.
type port struct {
	tun     *os.File
	mu      sync.Mutex
	out, in time.Time // when the packet before has left the host, and has come to it
	due     chan packet
}

// packet is one that is under way.
type packet struct {
	data []byte
	at   time.Time
}

const (
	longestQueue = 50 * time.Millisecond
	relayMTU     = 9000
	mostWaiting  = 1 << 16
	ipv4Head     = 20
	// ethernetHead is what a packet has more on a cable: its head, its sum, and the gap to the next.
	ethernetHead = 38
)

func (l *Lab) joinByRelay(ctx context.Context, c Cable) error {
	l.relay = &relay{cable: c}
	for i, h := range l.names {
		tun, err := openTun(h)
		if err != nil {
			return fmt.Errorf("making a device of host %s: %w", h, err)
		}
		l.relay.ports = append(l.relay.ports, &port{tun: tun, due: make(chan packet, mostWaiting)})
		if err := ip(ctx, "-n %s link set %s mtu %d", h, device, relayMTU); err != nil {
			return err
		}
		if err := l.address(ctx, i); err != nil {
			return err
		}
	}
	for _, p := range l.relay.ports {
		l.relay.over.Go(func() { l.relay.take(p) })
		go p.hand()
	}
	return nil
}

// openTun makes a device in a namespace whose packets this process reads and writes.
func openTun(namespace string) (tun *os.File, err error) {
	err = within(namespace, func() (err error) {
		tun, err = newTun()
		return err
	})
	return tun, err
}

// within does something on a thread that is in a namespace meanwhile.
func within(namespace string, do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := func() (err error) {
			home, err := os.Open("/proc/thread-self/ns/net")
			if err != nil {
				return err
			}
			defer home.Close()
			there, err := os.Open(filepath.Join("/run/netns", namespace))
			if err != nil {
				return err
			}
			defer there.Close()
			if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
				return err
			}
			err = do()
			if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
				return errors.Join(err, back) // nothing else uses the thread: it stays locked
			}
			runtime.UnlockOSThread()
			return err
		}()
		done <- err
	}()
	return <-done
}

func newTun() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(device)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), device), nil
}

// take takes what a host sends, until the relay is closed.
func (r *relay) take(p *port) {
	buffer := make([]byte, relayMTU+ipv4Head)
	for {
		n, err := p.tun.Read(buffer)
		if err != nil {
			return
		}
		to := r.to(buffer[:n])
		if to == nil || to == p || r.stalled.Load() {
			continue
		}
		if at, ok := r.at(p, to, n); ok {
			select {
			case to.due <- packet{append([]byte(nil), buffer[:n]...), at}:
			default: // as full as no real port would be
			}
		}
	}
}

// to is the port that a packet goes to; nil for none.
func (r *relay) to(data []byte) *port {
	if len(data) < ipv4Head || data[0]>>4 != 4 {
		return nil
	}
	if i := int(data[ipv4Head-1]) - 1; i >= 0 && i < len(r.ports) {
		return r.ports[i]
	}
	return nil
}

// at is when a packet is due; false where it is dropped.
func (r *relay) at(from, to *port, bytes int) (time.Time, bool) {
	now := time.Now()
	if r.cable.Bits == 0 {
		return now.Add(r.cable.Delay), true
	}
	takes := time.Duration(float64(8*(bytes+ethernetHead)) / r.cable.Bits * 1e9)
	sent, ok := from.pass(&from.out, now, takes)
	if !ok {
		return now, false
	}
	if len(r.ports) == 2 { // one cable
		return sent.Add(r.cable.Delay), true
	}
	came, ok := to.pass(&to.in, sent, takes)
	return came.Add(r.cable.Delay), ok
}

// pass has a packet go over a direction of a cable from a time on, behind the one before.
func (p *port) pass(before *time.Time, now time.Time, takes time.Duration) (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before.Before(now) {
		*before = now
	}
	if before.Sub(now) > longestQueue {
		return now, false
	}
	*before = before.Add(takes)
	return *before, true
}

// hand hands packets over to a host when they are due.
func (p *port) hand() {
	for x := range p.due {
		if wait := time.Until(x.at); wait > 0 {
			time.Sleep(wait)
		}
		if _, err := p.tun.Write(x.data); errors.Is(err, os.ErrClosed) {
			for range p.due { // to the end
			}
			return
		}
	}
}

// close ends the relay.
func (r *relay) close() (err error) {
	for _, p := range r.ports {
		err = errors.Join(err, p.tun.Close())
	}
	r.over.Wait()
	for _, p := range r.ports {
		close(p.due)
	}
	return err
}
