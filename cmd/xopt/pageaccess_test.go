package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/ledongthuc/pdf"

	"xopt/internal/testkit"
)

// chromium runs headless Chromium on a page, and returns its output.
func chromium(t *testing.T, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command(testkit.Tool(t, "chromium", "chromium"), append([]string{"--headless", "--no-sandbox",
		"--disable-gpu", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=20000"},
		append(args, "file://"+path)...)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	return out.String()
}

// axe is axe-core (Deque Systems, MPL 2.0).
//
//go:embed testdata/axe/axe.min.js
var axe string

// violation is a fault that axe-core finds.
type violation struct {
	Impact, ID string
	Nodes      []struct{ HTML, FailureSummary string }
}

// accessible checks a page with axe-core (Deque Systems, MPL 2.0, testdata/axe) in light and dark mode: no serious or
// critical violations.
func accessible(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	with := string(text)
	stop := strings.LastIndex(with, "</body>")
	const first, done = "AXE BEGINS", "AXE ENDS"
	with = with[:stop] + "<script>" + axe + `</script><script>axe.run().then((r) => {
const pre = document.createElement("pre");
pre.textContent = "AXE " + "BEGINS" + JSON.stringify(r.violations) + "AXE " + "ENDS";
document.body.append(pre); });</script>` + with[stop:]
	copied := filepath.Join(t.TempDir(), "axe.html")
	if err := os.WriteFile(copied, []byte(with), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, scheme := range map[string]string{"light": "1", "dark": "0"} {
		dom := chromium(t, copied, "--blink-settings=preferredColorScheme="+scheme, "--dump-dom")
		_, found, _ := strings.Cut(dom, first)
		found, _, ok := strings.Cut(found, done)
		if !ok {
			t.Errorf("%s: axe-core did not end", name)
			continue
		}
		var list []violation
		if err := json.Unmarshal([]byte(html.UnescapeString(found)), &list); err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.Impact == "serious" || v.Impact == "critical" {
				t.Errorf("%s: %s: %s in %d places, such as %s: %s", name, v.Impact, v.ID, len(v.Nodes), v.Nodes[0].HTML,
					v.Nodes[0].FailureSummary)
			}
		}
	}
}

// printed prints a page. Every row of every table must be on paper with all its cells in order, and the headings of a
// table on each of its sheets.
func printed(t *testing.T, path, dom string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "page.pdf")
	chromium(t, path, "--no-pdf-header-footer", "--print-to-pdf="+to)
	f, r, err := pdf.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was read
	var paper strings.Builder
	for i := 1; i <= r.NumPage(); i++ {
		text, err := r.Page(i).GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		paper.WriteString(squeezed(text))
	}
	rows, missing := 0, 0
	for _, body := range regexp.MustCompile(`(?s)<tbody>(.*?)</tbody>`).FindAllStringSubmatch(dom, -1) {
		for _, row := range regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`).FindAllStringSubmatch(body[1], -1) {
			rows++
			text := squeezed(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row[1], "")))
			if !strings.Contains(paper.String(), text) {
				if missing++; missing < 5 {
					t.Errorf("on paper a row is not whole: %s", text)
				}
			}
		}
	}
	if rows == 0 || missing > 0 {
		t.Errorf("of %d rows, %d are not whole on paper", rows, missing)
	}
}

// squeezed removes white space and expands ligatures, because printed cells may break lines anywhere.
func squeezed(s string) string {
	s = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl").Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
