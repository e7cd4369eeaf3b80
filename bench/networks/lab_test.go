package networks

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// connected returns the two ends of a connection between two hosts.
func connected(t *testing.T, l *Lab, from, to int) (client, server net.Conn) {
	t.Helper()
	var listener net.Listener
	err := inNamespace(l.Hosts()[to], func() (err error) {
		listener, err = net.Listen("tcp", net.JoinHostPort(l.Address(to), "0"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := listener.Accept()
		accepted <- c
	}()
	err = inNamespace(l.Hosts()[from], func() (err error) {
		client, err = net.Dial("tcp", listener.Addr().String())
		return err
	})
	if server = <-accepted; err != nil || server == nil {
		t.Fatalf("host %d does not reach host %d: %v", from+1, to+1, err)
	}
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// TestLab checks that the hosts of a lab reach each other, with at least the delay and at most the bandwidth of their
// cable.
func TestLab(t *testing.T) {
	testkit.Long(t, "it fills networks for some seconds")
	for _, n := range []Network{{2, Cable{}}, {2, Cable{Bits: 80e6}}, {3, Cable{Bits: 80e6}},
		{2, Cable{Bits: 80e6, Delay: 20 * time.Millisecond}}, {3, Cable{Bits: 80e6, Delay: 5 * time.Millisecond}}} {
		t.Run(fmt.Sprintf("%d hosts, %v", n.Hosts, n.Cable), func(t *testing.T) {
			l, err := NewLab(t.Context(), n.Hosts, n.Cable)
			if errors.Is(err, ErrRoot) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}()
			for from := range n.Hosts {
				client, server := connected(t, l, from, (from+1)%n.Hosts)
				if elapsed := roundTrip(t, client, server); elapsed < 2*n.Cable.Delay {
					t.Errorf("there and back in %v", elapsed)
				}
				if from > 0 || n.Cable.Bits == 0 {
					continue
				}
				const maximum = 2 << 20
				start := time.Now()
				go func() { _, _ = client.Write(make([]byte, maximum)) }()
				if _, err := io.ReadFull(server, make([]byte, maximum)); err != nil {
					t.Fatal(err)
				}
				rate := 8 * maximum / time.Since(start).Seconds()
				t.Logf("%.3g Mbit/s", rate/1e6)
				if rate > 1.2*n.Cable.Bits { // the bucket of 128 KiB is full at the beginning
					t.Errorf("%.3g Mbit/s", rate/1e6)
				}
			}
		})
	}
}

// roundTrip returns the minimum round-trip time of a byte.
func roundTrip(t *testing.T, client, server net.Conn) time.Duration {
	t.Helper()
	go func() { _, _ = io.CopyN(server, server, 5) }()
	minimum := time.Hour
	for range 5 {
		start := time.Now()
		_, err := client.Write([]byte{1})
		if err == nil {
			_, err = io.ReadFull(client, make([]byte, 1))
		}
		if err != nil {
			t.Fatal(err)
		}
		minimum = min(minimum, time.Since(start))
	}
	return minimum
}
