package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"xopt/flow/profile"
)

// TestHeadings checks that every column of a CSV file has its own name.
func TestHeadings(t *testing.T) {
	table := &Table{Columns: []Column{number(""), name(""), rate("size"), rate("size"), name("")}}
	table.add(integer(1), text("a"), figure(2.0), figure(3.0), text("b"))
	var out bytes.Buffer
	if err := table.scaled().WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.SplitN(out.String(), "\n", 2)[0], "#,value,size (B/s),size (B/s) 2,value 2"; got != want {
		t.Errorf("the headings are %s, want %s", got, want)
	}
}

// TestPercentHeads checks that a column of percentages says so on the terminal, and that files contain fractions.
func TestPercentHeads(t *testing.T) {
	table := kernelsOnCores(&profile.Profile{Kernels: []profile.Kernel{{Block: "F", Platform: "C",
		ServiceRate: &profile.Figure{Value: 1e6, N: 9, CI95: [2]float64{0.9e6, 1.1e6}}}}})
	at := slices.IndexFunc(table.Columns, func(c Column) bool { return strings.HasPrefix(c.Name, "±") })
	if at < 0 {
		t.Fatalf("no column of intervals: %+v", table.Columns)
	}
	if got := table.Columns[at].Heading(); got != "± (%)" {
		t.Errorf("the heading is %q", got)
	}
	var out bytes.Buffer
	if err := table.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if got := strings.Split(lines[0], ",")[at]; got != "± (fraction)" {
		t.Errorf("the heading in CSV is %q", got)
	}
	if got := strings.Split(lines[1], ",")[at]; got != "0.1" && !strings.HasPrefix(got, "0.0999") &&
		!strings.HasPrefix(got, "0.1000") {
		t.Errorf("in CSV it is %s", got)
	}
}
