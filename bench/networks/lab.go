package networks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// ErrRoot reports that this process cannot create network namespaces.
var ErrRoot = errors.New("network namespaces require root privileges and the command ip (Debian: iproute2)")

// Cable is the connection of a host to a network. Each direction has the full bandwidth.
type Cable struct {
	Bits  float64 // bit/s, including Ethernet headers; 0 for unlimited
	Delay time.Duration
}

// String describes the bandwidth and the delay of the cable.
func (c Cable) String() string {
	text := "unshaped"
	if c.Bits > 0 {
		text = fmt.Sprintf("%g Mbit/s", c.Bits/1e6)
	}
	if c.Delay > 0 {
		text += ", " + c.Delay.String()
	}
	return text
}

// Lab is a network of hosts: two hosts with one cable between them, or several hosts with a cable from each to a
// switch.
type Lab struct {
	names    []string
	toSwitch string // namespace of the switch; "" for none
	relay    *relay // delays packets; nil for Linux cables
}

// labs is the number of labs that this process has created, for unique names.
var labs atomic.Int32

// prefix is the common prefix of the hosts' addresses.
const prefix = "10.77.0."

// NewLab creates hosts. A cable without a delay is a Linux veth device, with a token bucket (tc) that limits its
// bandwidth. For a cable with a delay, the lab itself reads the packets of each host's device, and delivers them when
// they are due, because not every Linux kernel supports netem.
func NewLab(ctx context.Context, hosts int, c Cable) (_ *Lab, err error) {
	if os.Getuid() != 0 {
		return nil, ErrRoot
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return nil, ErrRoot
	}
	l := &Lab{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	number := labs.Add(1)
	for i := range hosts {
		name := fmt.Sprintf("xopt-%d-%d-%d", os.Getpid(), number, i+1)
		if err := ip(ctx, "netns add %s", name); err != nil {
			return nil, err
		}
		l.names = append(l.names, name)
		if err := ip(ctx, "-n %s link set lo up", name); err != nil {
			return nil, err
		}
	}
	switch {
	case c.Delay > 0:
		return l, l.joinByRelay(ctx, c)
	case hosts == 2:
		return l, l.joinByCable(ctx, c)
	}
	return l, l.joinBySwitch(ctx, fmt.Sprintf("xopt-%d-%d-s", os.Getpid(), number), c)
}

// ip runs the command ip with the arguments in line, formatted with args.
func ip(ctx context.Context, line string, args ...any) error {
	words := strings.Fields(fmt.Sprintf("ip "+line, args...))
	if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// shape limits the outgoing bandwidth of a device in a namespace.
func shape(ctx context.Context, namespace, device string, bits float64) error {
	if bits == 0 {
		return nil
	}
	return ip(ctx, "netns exec %s tc qdisc add dev %s root tbf rate %.0fbit burst 128k latency 50ms", namespace, device,
		bits)
}

// all runs the given steps until one fails, and returns its error.
func all(steps ...func() error) error {
	for _, s := range steps {
		if err := s(); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) joinByCable(ctx context.Context, c Cable) error {
	err := ip(ctx, "link add %s netns %s type veth peer name %s netns %s", device, l.names[0], device, l.names[1])
	for i, h := range l.names {
		if err == nil {
			err = all(func() error { return l.address(ctx, i) }, func() error { return shape(ctx, h, device, c.Bits) })
		}
	}
	return err
}

// device is the name of the network device of each host.
const device = "xopt0"

// address sets the address of a host and activates its device.
func (l *Lab) address(ctx context.Context, i int) error {
	return all(func() error { return ip(ctx, "-n %s addr add %s%d/24 dev %s", l.names[i], prefix, i+1, device) },
		func() error { return ip(ctx, "-n %s link set %s up", l.names[i], device) })
}

func (l *Lab) joinBySwitch(ctx context.Context, name string, c Cable) error {
	if err := ip(ctx, "netns add %s", name); err != nil {
		return err
	}
	l.toSwitch = name
	err := all(func() error { return ip(ctx, "-n %s link add bridge type bridge", name) },
		func() error { return ip(ctx, "-n %s link set bridge up", name) })
	for i, h := range l.names {
		if err != nil {
			return err
		}
		port := fmt.Sprintf("port%d", i+1)
		err = all(func() error {
			return ip(ctx, "link add %s netns %s type veth peer name %s netns %s", device, h, port, name)
		}, func() error { return ip(ctx, "-n %s link set %s master bridge up", name, port) },
			func() error { return l.address(ctx, i) },
			func() error { return shape(ctx, h, device, c.Bits) },
			func() error { return shape(ctx, name, port, c.Bits) })
	}
	return err
}

// Hosts returns the names of the hosts.
func (l *Lab) Hosts() []string { return l.names }

// Address returns the IP address of a host.
func (l *Lab) Address(i int) string { return fmt.Sprint(prefix, i+1) }

// Launch returns the command line that runs the given command on a host.
func (l *Lab) Launch(host string, command []string) ([]string, error) {
	return append([]string{"ip", "netns", "exec", host}, command...), nil
}

// Unplug disconnects the cable of a host.
func (l *Lab) Unplug(ctx context.Context, i int) error {
	return ip(ctx, "-n %s link set %s down", l.names[i], device)
}

// Stall stops the delivery of all packets, without disconnecting cables. It requires cables with a delay.
func (l *Lab) Stall() error {
	if l.relay == nil {
		return errors.New("cannot pause a cable without a delay")
	}
	l.relay.stalled.Store(true)
	return nil
}

// Processes returns the ids of the processes on a host.
func (l *Lab) Processes(ctx context.Context, i int) ([]string, error) {
	out, err := exec.CommandContext(ctx, "ip", "netns", "pids", l.names[i]).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the processes of %s: %w", l.names[i], err)
	}
	return strings.Fields(string(out)), nil
}

// Close removes everything that NewLab created.
func (l *Lab) Close() (err error) {
	if l.relay != nil {
		err = l.relay.close()
	}
	names := l.names
	if l.toSwitch != "" {
		names = append([]string{l.toSwitch}, names...)
	}
	for _, n := range names {
		err = errors.Join(err, ip(context.Background(), "netns del %s", n))
	}
	return err
}
