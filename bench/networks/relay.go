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

// relay is a switch in this process with a cable to each host. The latency of a packet is the sum of its transmission
// times on the cables of the sender and the receiver, and the delay. With two hosts, there is only one cable. Packets
// stay in order. Like the port of a switch, the relay drops a packet that would wait longer than longestQueue.
type relay struct {
	cable    Cable
	ports    []*port
	stalled  atomic.Bool
	finished sync.WaitGroup
}

// port is the connection of the relay to one host.
type port struct {
	tun     *os.File
	mu      sync.Mutex
	out, in time.Time // end of the transmission of the last outgoing and incoming packet
	due     chan packet
}

// packet is a packet in flight, with its arrival time.
type packet struct {
	data []byte
	at   time.Time
}

const (
	longestQueue = 50 * time.Millisecond
	relayMTU     = 9000
	maxWaiting   = 1 << 16
	ipv4Head     = 20
	// ethernetHead is the overhead of a packet on a cable in bytes: header, checksum, and gap to the next packet.
	ethernetHead = 38
)

func (l *Lab) joinByRelay(ctx context.Context, c Cable) error {
	l.relay = &relay{cable: c}
	for i, h := range l.names {
		tun, err := openTun(h)
		if err != nil {
			return fmt.Errorf("creating a network device of host %s: %w", h, err)
		}
		l.relay.ports = append(l.relay.ports, &port{tun: tun, due: make(chan packet, maxWaiting)})
		if err := ip(ctx, "-n %s link set %s mtu %d", h, device, relayMTU); err != nil {
			return err
		}
		if err := l.address(ctx, i); err != nil {
			return err
		}
	}
	for _, p := range l.relay.ports {
		l.relay.finished.Go(func() { l.relay.forward(p) })
		go p.hand()
	}
	return nil
}

// openTun creates a network device in a namespace. This process reads and writes the packets of the device.
func openTun(namespace string) (tun *os.File, err error) {
	err = inNamespace(namespace, func() (err error) {
		tun, err = newTun()
		return err
	})
	return tun, err
}

// inNamespace calls a function on a thread in a namespace.
func inNamespace(namespace string, do func() error) error {
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
				return errors.Join(err, back) // keep the thread locked, so that nothing else uses it
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

// forward relays the packets of a host until the relay is closed.
func (r *relay) forward(p *port) {
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
			default: // the queue is full, so drop the packet
			}
		}
	}
}

// to returns the port of the host to which a packet is addressed; nil for none.
func (r *relay) to(data []byte) *port {
	if len(data) < ipv4Head || data[0]>>4 != 4 {
		return nil
	}
	if i := int(data[ipv4Head-1]) - 1; i >= 0 && i < len(r.ports) {
		return r.ports[i]
	}
	return nil
}

// at returns the arrival time of a packet; false if the relay drops the packet.
func (r *relay) at(from, to *port, bytes int) (time.Time, bool) {
	now := time.Now()
	if r.cable.Bits == 0 {
		return now.Add(r.cable.Delay), true
	}
	duration := time.Duration(float64(8*(bytes+ethernetHead)) / r.cable.Bits * 1e9)
	sent, ok := from.pass(&from.out, now, duration)
	if !ok {
		return now, false
	}
	if len(r.ports) == 2 { // a single cable
		return sent.Add(r.cable.Delay), true
	}
	came, ok := to.pass(&to.in, sent, duration)
	return came.Add(r.cable.Delay), ok
}

// pass computes the transmission of a packet in one direction of a cable, after the previous packet. It returns the end
// of the transmission; false if the packet would wait too long.
func (p *port) pass(before *time.Time, now time.Time, duration time.Duration) (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before.Before(now) {
		*before = now
	}
	if before.Sub(now) > longestQueue {
		return now, false
	}
	*before = before.Add(duration)
	return *before, true
}

// hand delivers the packets for a host when they are due, until the relay is closed.
func (p *port) hand() {
	for x := range p.due {
		if wait := time.Until(x.at); wait > 0 {
			time.Sleep(wait)
		}
		if _, err := p.tun.Write(x.data); errors.Is(err, os.ErrClosed) {
			for range p.due { // discard the other packets
			}
			return
		}
	}
}

func (r *relay) close() (err error) {
	for _, p := range r.ports {
		err = errors.Join(err, p.tun.Close())
	}
	r.finished.Wait()
	for _, p := range r.ports {
		close(p.due)
	}
	return err
}
