package jsonfile_test

import (
	"strings"
	"testing"

	"xopt/internal/files/jsonfile"
)

// TestRead checks that errors distinguish another kind of file, a truncated file and a damaged one.
func TestRead(t *testing.T) {
	profile := jsonfile.Format{What: "profile", Schema: 1}
	for text, want := range map[string]string{
		`{"schema": 7, "tool": "xopt", "kernels": []}`: "a.json is a result file of xopt, not a profile",
		`{"schema": 1, "machine": {`:                   "a.json is not a valid profile: ",
		`{"schema": 1, "mach": {}}`:                    `a.json is damaged: json: unknown field "mach"`,
		`{"machine": {}}`:                              "a.json is not a profile of xopt",
		`{"schema": 1, "machine": {}}`:                 "",
	} {
		var out struct {
			Schema  int      `json:"schema"`
			Machine struct{} `json:"machine"`
		}
		err := profile.Read("a.json", strings.NewReader(text), &out)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
