package micro

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/internal/files/scratch"
)

// NetworkCase is the result of [Network] for one message size.
type NetworkCase struct {
	Bytes int
	// Rates contains the rate of each method in messages/s. N is 0 for a method that is not installed.
	Rates [networkWays]profile.Median
}

// The compared methods of sending messages over TCP.
const (
	networkEdge = iota
	networkIperf
	networkZeroMQ
	networkWays
)

// NetworkWays returns the names of the methods of sending messages over TCP.
func NetworkWays() [networkWays]string {
	return [networkWays]string{"edge", "iperf3", "ZeroMQ PUSH, PULL"}
}

//go:embed network
var networkFiles embed.FS

//go:embed rivals/zeromq.c
var zeromqC []byte

// Network measures messages/s over TCP on the loopback interface between two processors. The methods are an edge
// between two hosts (both are this machine), iperf3, and ZeroMQ from a PUSH to a PULL socket. No method writes or reads
// the content of messages. Runs of all methods are interleaved.
func Network(ctx context.Context, o RingOptions) (_ []NetworkCase, err error) {
	cpus, err := twoProcessors()
	if err != nil {
		return nil, err
	}
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := fs.Sub(networkFiles, "network")
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err != nil {
		return nil, fmt.Errorf("writing the application: %w", err)
	}
	zeromq, err := buildZeroMQ(ctx, dir)
	if err != nil {
		return nil, err
	}
	cases := []NetworkCase{{Bytes: 64}, {Bytes: 1024}, {Bytes: 64 << 10}}
	for i := range cases {
		if o.Progress != nil {
			o.Progress(i, len(cases))
		}
		if err := cases[i].measure(ctx, dir, zeromq, cpus, o); err != nil {
			return nil, fmt.Errorf("measuring messages of %d bytes: %w", cases[i].Bytes, err)
		}
	}
	return cases, nil
}

// buildZeroMQ compiles the ZeroMQ sender and receiver. It returns "" if the library is not installed.
func buildZeroMQ(ctx context.Context, dir string) (string, error) {
	compiler, err := program.Compiler()
	if err != nil {
		return "", err
	}
	source, path := filepath.Join(dir, "zeromq.c"), filepath.Join(dir, "zeromq")
	if err := os.WriteFile(source, zeromqC, 0o644); err != nil {
		return "", fmt.Errorf("writing the ZeroMQ program: %w", err)
	}
	if exec.CommandContext(ctx, compiler[0], append(compiler[1:], "-O2", "-o", path, source, "-lzmq")...).Run() != nil {
		return "", ctx.Err()
	}
	return path, nil
}

func (c *NetworkCase) measure(ctx context.Context, dir, zeromq string, cpus [2]int, o RingOptions) (err error) {
	prog, err := buildFolder(ctx, dir, map[string]string{"top.words": fmt.Sprint(c.Bytes / 8)}, program.Options{}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	ways := [networkWays]func() (float64, error){
		networkEdge:  func() (float64, error) { return edgeOverTCP(ctx, prog, o.Window) },
		networkIperf: func() (float64, error) { return iperf(ctx, c.Bytes, o.Window) },
		networkZeroMQ: func() (float64, error) {
			cmd := exec.CommandContext(ctx, zeromq, fmt.Sprint(c.Bytes), fmt.Sprint(o.Window.Milliseconds()),
				fmt.Sprint(cpus[0]), fmt.Sprint(cpus[1]))
			out, err := cmd.Output()
			var messages, seconds float64
			if err == nil {
				_, err = fmt.Sscan(string(out), &messages, &seconds)
			}
			return messages / seconds * float64(c.Bytes), err
		},
	}
	if _, err := exec.LookPath("iperf3"); err != nil {
		ways[networkIperf] = nil
	}
	if zeromq == "" {
		ways[networkZeroMQ] = nil
	}
	var rates [networkWays][]float64
	for range o.Runs {
		for way, measure := range ways {
			if measure == nil {
				continue
			}
			r, err := measure()
			if err != nil {
				return fmt.Errorf("%s: %w", NetworkWays()[way], err)
			}
			rates[way] = append(rates[way], r/float64(c.Bytes))
		}
	}
	for way := range rates {
		c.Rates[way] = profile.MedianOf(rates[way])
	}
	return nil
}

// edgeOverTCP returns the rate of an edge in bytes/s in a window, excluding the start of the run.
func edgeOverTCP(ctx context.Context, prog *program.Program, window time.Duration) (float64, error) {
	const frames = 10
	m, err := run.Well(ctx, prog, run.Options{Time: window + window/frames, Frame: window / frames})
	if err != nil {
		return 0, err
	}
	return run.SinkRate(prog.Description(), m, 2)
}

// iperf returns the rate of iperf3 in bytes/s in a window, rounded to seconds, excluding the first second. iperf3 is
// not pinned to processors, because pinning makes it slower.
func iperf(ctx context.Context, bytes int, window time.Duration) (float64, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		return 0, err
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		return 0, err
	}
	server := exec.CommandContext(ctx, "iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port)
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = server.Process.Kill() // normally it has already ended
		_ = server.Wait()
	}()
	type sum struct {
		Bits float64 `json:"bits_per_second"`
	}
	var reported struct {
		Error string `json:"error"`
		End   struct {
			Received sum `json:"sum_received"`
			Sent     sum `json:"sum_sent"` // used if the server was too busy to report the received bytes
		} `json:"end"`
	}
	for range 50 { // wait until the server listens
		client := exec.CommandContext(ctx, "iperf3", "-c", "127.0.0.1", "-p", port, "-N", "-l", fmt.Sprint(bytes),
			"-O", "1", "-t", fmt.Sprint(max(1, int(window.Seconds()))), "-J")
		out, err := client.Output() // the output contains the reason
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		reported.Error = ""
		if jerr := json.Unmarshal(out, &reported); jerr != nil {
			return 0, fmt.Errorf("reading the output of iperf3: %w", errors.Join(err, jerr))
		}
		if reported.Error == "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	bits := cmp.Or(reported.End.Received.Bits, reported.End.Sent.Bits)
	if bits <= 0 {
		return 0, fmt.Errorf("iperf3 transferred no data: %s", reported.Error)
	}
	return bits / 8, nil
}
