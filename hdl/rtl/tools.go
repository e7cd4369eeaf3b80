// Package rtl runs the open tools for hardware on kernels in Verilog or VHDL: verilator
// to simulate them cycle by cycle, yosys to synthesize them, nextpnr to place them, ghdl
// to turn VHDL into Verilog. What they make is kept by the content of all that it was
// made from.
//
// A kernel is a module with clk, rst (synchronous, high), and an AXI4-Stream for each
// port of its block: s_axis_<port>_tdata, _tvalid and _tready for an input,
// m_axis_<port>_… for an output; port[2] of an array is <port>_2. An element is sent
// as words of the width of tdata, its first bytes first, the lowest in the lowest
// bits (Gayen 2008 §2.2.2, with the handshake of AXI4-Stream). Configs of the block are
// given to parameters of their names in upper case.
//
// It stands beside package deploy, which does the same for processor cores. No FPGA is
// needed; everything that comes from here was simulated or synthesized, and says so.
package rtl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"xopt/internal/cache"
)

// MissingError is a tool that is not installed.
type MissingError struct {
	Tool    string
	Package string // of Debian
	For     string // what it is needed for
}

// Error names the package to install.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed, but %s needs it (Debian: %s)", e.Tool, e.For, e.Package)
}

// ToolError is a tool that refuses a kernel.
type ToolError struct {
	Tool   string
	What   string // what it was doing
	Output string // its own words
}

// Error gives the tool's own words.
func (e *ToolError) Error() string {
	text := strings.TrimSpace(e.Output)
	if text == "" {
		text = "it printed nothing"
	}
	return fmt.Sprintf("%s failed: %s:\n%s", e.What, e.Tool, text)
}

// packageOf names the Debian package of a tool.
func packageOf(tool string) string {
	switch tool {
	case "g++", "c++":
		return "g++"
	case "nextpnr-ice40":
		return "nextpnr-ice40"
	}
	return tool
}

// need finds a tool.
func need(tool, what string) (string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", &MissingError{tool, packageOf(tool), what}
	}
	return path, nil
}

// longestStep ends a tool that does not; longestLook one that only reads a source.
const (
	longestStep = 10 * time.Minute
	longestLook = time.Minute
)

// mostMemory is how many bytes of addresses a tool may have: more than the largest design here takes, and less than
// what a source without end would have it take.
const mostMemory = 16 << 30

// most of what a tool says is kept in an error.
const maxWords = 4000

// run runs a tool in a folder and returns its standard output. It is not started by a
// shell, and ends with everything it started when ctx is cancelled.
func run(ctx context.Context, dir, what, tool string, args ...string) ([]byte, error) {
	path, err := need(tool, what)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longestStep)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err = cmd.Start(); err == nil {
		// A tool that has ended already has no limit any more.
		_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: mostMemory, Max: mostMemory}, nil)
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %s: %w", what, tool, ctx.Err())
	case errors.As(err, &exit):
		words := strings.TrimSpace(said.String() + "\n" + out.String())
		if len(words) > maxWords {
			words = words[:maxWords] + "\n…"
		}
		return nil, &ToolError{tool, what, words}
	case err != nil:
		return nil, fmt.Errorf("%s: running %s: %w", what, tool, err)
	}
	return out.Bytes(), nil
}

// Version is the first line of what a tool says of itself; "" when it is not there. Each
// tool is asked once.
func (c *Cache) Version(ctx context.Context, tool string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.versions[tool]; ok {
		return v
	}
	out, err := run(ctx, "", "asking for its version", tool, "--version")
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	c.versions[tool] = strings.TrimSpace(line)
	return c.versions[tool]
}

// Cache keeps what tools have made, by the content of what it was made from.
type Cache struct {
	kept *cache.Cache
	look time.Duration // ends a tool that reads a source

	mu       sync.Mutex
	versions map[string]string // of tools
}

// UserCache keeps things in the cache of a context, else in that of this user.
func UserCache(ctx context.Context) *Cache { return NewCache(cache.From(ctx)) }

// NewCache keeps things in a cache.
func NewCache(c *cache.Cache) *Cache {
	return &Cache{kept: c, look: longestLook, versions: make(map[string]string)}
}
