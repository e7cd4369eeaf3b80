package view

import (
	"bytes"
	"strings"
	"testing"
)

// TestHeadings: every column of a CSV file has a name of its own.
func TestHeadings(t *testing.T) {
	table := &Table{Columns: []Column{number(""), name(""), rate("size"), rate("size"), name("")}}
	table.add(whole(1), text("a"), figure(2.0), figure(3.0), text("b"))
	var out bytes.Buffer
	if err := table.scaled().WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.SplitN(out.String(), "\n", 2)[0], "#,value,size (B/s),size (B/s) 2,value 2"; got != want {
		t.Errorf("the headings are %s, want %s", got, want)
	}
}
