// Package rtl runs open hardware tools on kernels in Verilog or VHDL. verilator simulates kernels cycle by cycle, yosys
// synthesizes them, nextpnr places them, and ghdl converts VHDL to Verilog. The package caches the tools' outputs by
// the contents of all inputs.
//
// A kernel is a module with clk, rst (synchronous, active high), and an AXI4-Stream for each port of its block. The
// stream has the signals s_axis_<port>_tdata, _tvalid and _tready for an input, and m_axis_<port>_… for an output. The
// stream of port[2] of an array is <port>_2. An element consists of one or more words, each as wide as tdata. The first
// bytes of an element come first, in the lowest bits (Gayen 2008 §2.2.2, with the handshake of AXI4-Stream). The
// configs of the block set the parameters with the same names in upper case.
//
// Package deploy builds and runs kernels on processor cores. No FPGA is necessary: every result comes from simulation
// or synthesis.
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
	"xopt/internal/fault"
)

// MissingError reports that a tool is not installed.
type MissingError struct {
	Tool    string
	Package string // name of the Debian package
	For     string // purpose of the tool
}

// FaultID returns the identifier.
func (e *MissingError) FaultID() fault.ID { return fault.NotInstalled }

// Error returns the message, with the Debian package to install.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed, but is needed for %s (Debian package: %s)", e.Tool, e.For, e.Package)
}

// ToolError reports that a tool rejected a kernel.
type ToolError struct {
	Tool   string
	What   string // the step that failed
	Output string // output of the tool
}

// Error returns the message and the output of the tool.
func (e *ToolError) Error() string {
	text := strings.TrimSpace(e.Output)
	if text == "" {
		text = "no output"
	}
	return fmt.Sprintf("%s failed: %s:\n%s", e.What, e.Tool, text)
}

func packageOf(tool string) string {
	switch tool {
	case "g++", "c++":
		return "g++"
	case "nextpnr-ice40":
		return "nextpnr-ice40"
	}
	return tool
}

// need returns the path of a tool, or a MissingError.
func need(tool, what string) (string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", &MissingError{tool, packageOf(tool), what}
	}
	return path, nil
}

// longestStep is the timeout of a tool. longestLook is the timeout of a tool that only reads a source.
const (
	longestStep = 10 * time.Minute
	longestLook = time.Minute
)

// maxMemory is the maximum address space of a tool in bytes. The largest tested design needs less. An endless loop in a
// source could cause a tool to allocate more.
const maxMemory = 16 << 30

// maxWords is the maximum number of characters of a tool's output in an error.
const maxWords = 4000

// run runs a tool in a folder without a shell and returns its standard output. If ctx is canceled, it ends the tool and
// all processes of the tool.
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
	var out, output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &output
	if err = cmd.Start(); err == nil {
		// Ignore the error: the tool may already have ended.
		_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}, nil)
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %s: %w", what, tool, ctx.Err())
	case errors.As(err, &exit):
		words := strings.TrimSpace(output.String() + "\n" + out.String())
		if len(words) > maxWords {
			words = words[:maxWords] + "\n…"
		}
		return nil, &ToolError{tool, what, words}
	case err != nil:
		return nil, fmt.Errorf("%s: running %s: %w", what, tool, err)
	}
	return out.Bytes(), nil
}

// Version returns the first line of a tool's version output, or "" if the tool is missing. It runs each tool once.
func (c *Cache) Version(ctx context.Context, tool string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.versions[tool]; ok {
		return v
	}
	out, err := run(ctx, "", "reading the version", tool, "--version")
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	c.versions[tool] = strings.TrimSpace(line)
	return c.versions[tool]
}

// Cache stores the outputs of tools by the content of their inputs.
type Cache struct {
	kept *cache.Cache
	look time.Duration // timeout of a tool that reads a source

	mu       sync.Mutex
	versions map[string]string // versions of tools
}

// UserCache returns a Cache that stores its entries in the cache of a context or, if the context has none, in this
// user's cache.
func UserCache(ctx context.Context) *Cache { return NewCache(cache.From(ctx)) }

// NewCache returns a Cache that stores its entries in c.
func NewCache(c *cache.Cache) *Cache {
	return &Cache{kept: c, look: longestLook, versions: make(map[string]string)}
}
