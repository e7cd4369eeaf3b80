package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// tab is a page in headless Chromium, driven by its DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol) over a pipe. Keys and mouse act like a user's.
type tab struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	session string
	last    int
}

// message is a command, its answer, or an event.
type message struct {
	ID      int                       `json:"id,omitempty"`
	Session string                    `json:"sessionId,omitempty"`
	Method  string                    `json:"method,omitempty"`
	Params  map[string]any            `json:"params,omitempty"`
	Result  map[string]any            `json:"result,omitempty"`
	Error   *struct{ Message string } `json:"error,omitempty"`
}

// maxInBrowser limits the time of a test in the browser.
const maxInBrowser = 5 * time.Minute

// openTab opens a page in a window of some size, in light or dark.
func openTab(t *testing.T, path string, width, height int, scheme string) *tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxInBrowser)
	cmd := exec.CommandContext(ctx, testkit.Tool(t, "chromium", "chromium"), "--headless", "--no-sandbox",
		"--disable-gpu", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "--hide-scrollbars")
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, out} // 3 and 4, the browser's pipes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()  //nolint:errcheck // the browser has it
	out.Close() //nolint:errcheck // the browser has it
	b := &tab{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil)
		cmd.Wait()   //nolint:errcheck // it was told to end
		to.Close()   //nolint:errcheck // it is not used any more
		from.Close() //nolint:errcheck // it is not used any more
		cancel()
	})
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})["targetId"]
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target,
		"flatten": true})["sessionId"].(string)
	b.call("Page.enable", nil)
	b.call("Performance.enable", map[string]any{"timeDomain": "threadTicks"})
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme",
		"value": scheme}}})
	b.call("Page.navigate", map[string]any{"url": "file://" + path})
	for b.read().Method != "Page.loadEventFired" {
		continue
	}
	return b
}

// read returns the next message of the browser.
func (b *tab) read() *message {
	b.t.Helper()
	line, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatal("the browser ended: ", err)
	}
	var m message
	if err := json.Unmarshal(line[:len(line)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	return &m
}

// call runs a command of the protocol and returns its result.
func (b *tab) call(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(message{ID: b.last, Session: b.session, Method: method, Params: params})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		if m := b.read(); m.ID == b.last {
			if m.Error != nil {
				b.t.Fatalf("%s: %s", method, m.Error.Message)
			}
			return m.Result
		}
	}
}

// eval returns the value of an expression in the page, after awaiting it if it is a promise.
func (b *tab) eval(expression string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true,
		"awaitPromise": true})
	if wrong := r["exceptionDetails"]; wrong != nil {
		b.t.Fatalf("%s: %v", expression, wrong)
	}
	return r["result"].(map[string]any)["value"]
}

// text returns the value of an expression as text.
func (b *tab) text(expression string) string {
	b.t.Helper()
	return fmt.Sprint(b.eval(expression))
}

// press presses a key.
func (b *tab) pressKey(key string, code int) {
	b.t.Helper()
	for _, event := range []string{"rawKeyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": event, "key": key, "code": key,
			"windowsVirtualKeyCode": code})
	}
}

// point moves the mouse to a place in the window.
func (b *tab) point(x, y float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": x, "y": y})
}
