package hosts

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestLine checks the command that starts a worker on a host, with names that need quoting.
func TestLine(t *testing.T) {
	nasty := []string{"/x y/xopt", "campaign", "work", "/it's $HOME; `id`"}
	for _, c := range []struct {
		launch, host string
		command      []string
		want         []string
		err          string
	}{
		{"ssh -p 22 {host} {command}", "n1", nasty,
			[]string{"ssh", "-p", "22", "n1", "exec '/x y/xopt' 'campaign' 'work' '/it'\\''s $HOME; `id`'"}, ""},
		{"env HOST={host}", "n1", []string{"/b/xopt", "work"}, []string{"env", "HOST=n1", "/b/xopt", "work"}, ""},
		{"ssh {host}", "n1", nasty, nil, `a shell could change the word "/x y/xopt"`},
		{"ssh {command}", "n1", nasty, nil, "include {host}"},
		{"ssh {host} {command}", "-oProxyCommand=id", nasty, nil, `"-oProxyCommand=id" is not a host name`},
		{"ssh {host} {command}", "a b", nasty, nil, `"a b" is not a host name`},
		{"ssh 'x {host}", "a", nasty, nil, "expected a command such as ssh"},
	} {
		got, err := Line(c.launch, c.host, c.command)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q in it", c.launch, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q (%v), want %q", c.launch, got, err, c.want)
		}
	}
	line, err := Line("sh -c {command} {host}", "n1", append([]string{"printf", `%s|`}, nasty...))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(line[0], line[1:]...).Output()
	if want := strings.Join(nasty, "|") + "|"; err != nil || string(out) != want {
		t.Errorf("a shell read %q (%v), want %q", out, err, want)
	}
}

// TestRun checks the output and the end of each host. One that dies does not end the others.
func TestRun(t *testing.T) {
	output, ended := make(map[string]string), make(map[string]string)
	err := Run(t.Context(), Options{Launch: "env HOST={host}", Hosts: []string{"a", "b"},
		Command: always("sh", "-c"), Output: func(h, l string) {},
		Ended: func(h string, err error) { ended[h] = Why(err) }})
	if err != nil || ended["a"] != "ended with exit status 2" { // sh -c without a command
		t.Errorf("ended %q, error %v", ended, err)
	}
	err = Run(t.Context(), Options{Launch: `sh -c 'echo "I am $0"; test $0 = a || kill -9 $$' {host}`,
		Hosts: []string{"a", "b"}, Command: always("x"), Output: func(h, l string) { output[h] += l },
		Ended: func(h string, err error) { ended[h] = Why(err) }})
	if err != nil || ended["a"] != "ended" || ended["b"] != "was stopped (signal: killed)" || output["a"] != "I am a" ||
		output["b"] != "I am b" {
		t.Errorf("said %q, ended %q, error %v", output, ended, err)
	}
}

// TestTold checks that workers that read their input are told to end.
func TestTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var how error
	began := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Launch: `sh -c 'echo began; cat' {host}`, Hosts: []string{"a"},
			Command: always("x"), Output: func(_, _ string) { close(began) },
			Ended: func(_ string, err error) { how = err }})
	}()
	<-began
	cancel()
	if !testkit.Eventually(func() bool { return len(done) == 1 }) {
		t.Fatal("the worker did not end")
	}
	if err := <-done; err != nil || how != context.Canceled {
		t.Errorf("error %v, ended %v", err, how)
	}
}

// always returns the same command for all hosts.
func always(words ...string) func(string) []string { return func(string) []string { return words } }
