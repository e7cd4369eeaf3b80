// Command xopt computes which kernel of a streaming application should run on which processor core or FPGA, over
// which links and with which buffers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/options"
	"xopt/internal/release"
)

func main() {
	ctx, stop := interruptible()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program immediately
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// interruptible returns a context that is done when the program receives a request to stop or when its terminal closes.
// Under nohup, it ignores the closing of the terminal.
func interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), signals...)
}

// version returns the release with its commit if known, the Go version, and whether the build includes CLP.
func version() string {
	engine := "without CLP"
	if hasCLP {
		engine = "with CLP"
	}
	return fmt.Sprintf("%s (%s, %s)", release.Build(), runtime.Version(), engine)
}

// versionCommand returns the command that prints the text of --version.
func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  options.MaxArgs(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "xopt %s\n", version())
			return err
		},
	}
}
