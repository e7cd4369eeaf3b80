package hosts

import (
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign/slurm"
)

// Placeholders in a launch command for the host and for the worker's command.
const (
	hostWord    = "{host}"
	commandWord = "{command}"
)

// Usual is the default launch command. It quotes the worker's command as one word, because a shell on the host parses
// it. Batch mode prevents password prompts. ssh gives up a host that is silent for a minute.
const Usual = "ssh -o BatchMode=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=4 " + hostWord + " " + commandWord

// plain matches words without special meaning in any shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_/.,:@%+=-]+$`)

// Line returns the command line that starts a command on a host.
func Line(launch, host string, command []string) ([]string, error) {
	p := shellwords.NewParser()
	words, err := p.Parse(launch)
	if err != nil || len(words) == 0 {
		return nil, faults.WrongLaunch.Errorf("launch is %q, expected a command such as %s", launch, Usual)
	}
	if !strings.Contains(launch, hostWord) {
		return nil, faults.WrongLaunch.Errorf("launch is %q, which does not name the host: include %s",
			launch, hostWord)
	}
	if err := CheckHosts([]string{host}); err != nil {
		return nil, err
	}
	quoted, complete := make([]string, len(command)), false
	for i, w := range command {
		if quoted[i], err = slurm.Quote(w); err != nil {
			return nil, err
		}
	}
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, hostWord, host)
		if w == commandWord {
			words[i], complete = "exec "+strings.Join(quoted, " "), true
		}
	}
	if complete {
		return words, nil
	}
	for _, w := range command { // a shell may parse these words
		if !plain.MatchString(w) {
			return nil, faults.WrongLaunch.Errorf("a shell could change the word %q: end launch with %s, which quotes "+
				"the word, or choose another name", w, commandWord)
		}
	}
	return append(words, command...), nil
}

// CheckHosts returns an error for an invalid host name.
func CheckHosts(list []string) error {
	var errs []error
	for i, h := range list {
		switch {
		case h == "" || strings.HasPrefix(h, "-") || !plain.MatchString(h):
			errs = append(errs, faults.WrongHost.Errorf("%q is not a host name: correct the list of hosts", h))
		case slices.Contains(list[:i], h):
			errs = append(errs, faults.HostTwice.Errorf("host %s is listed twice: remove one of the two entries", h))
		}
	}
	return errors.Join(errs...)
}

// IsHere reports whether a host name is localhost or a loopback address.
func IsHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
