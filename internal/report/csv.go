package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// CSVNames are patterns of the names of files that WriteCSV writes.
func CSVNames() []string {
	return []string{"kernels.csv", "edges.csv", "histograms.csv", "frames.csv", "statement_*.csv"}
}

// WriteCSV writes what was measured into a folder, one file for each table: plain
// numbers in SI units, each unit in its heading. It returns the names of the files.
func (m *Measured) WriteCSV(folder string) (names []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for CSV files: %w", err)
	}
	tables := map[string][][]string{"kernels.csv": m.kernelRows(), "edges.csv": m.edgeRows(),
		"histograms.csv": m.histogramRows()}
	if len(m.Frames) > 0 {
		tables["frames.csv"] = m.frameRows()
	}
	for i := range m.Queries {
		name := fmt.Sprintf("statement_%d_%s.csv", i+1, fileName(m.Queries[i].Name))
		tables[name] = m.Queries[i].rows()
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		err := WriteFile(filepath.Join(folder, name), func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(tables[name])
		})
		if err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// fileName keeps of a name what every file system takes.
func fileName(s string) string {
	out := []byte(s)
	for i, c := range out {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			out[i] = '_'
		}
	}
	return string(out)
}

func number(v Number) string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }

func digitsOf(v uint64) string { return strconv.FormatUint(v, 10) }

func (m *Measured) kernelRows() [][]string {
	rows := [][]string{{"kernel", "process", "calls", "firings", "busy_s", "utilization", "service_time_s",
		"service_scv", "service_rate_B/s", "gain"}}
	for _, k := range m.Kernels {
		scv := ""
		if k.Service != nil && k.Service.SCV != nil {
			scv = number(*k.Service.SCV)
		}
		rows = append(rows, []string{k.Kernel, k.Process, digitsOf(k.Calls), digitsOf(k.Firings), number(k.Busy),
			number(k.Utilization), number(k.ServiceTime), scv, number(k.ServiceRate), number(k.Gain)})
	}
	return rows
}

func (m *Measured) edgeRows() [][]string {
	rows := [][]string{{"edge", "elements", "not_read", "elements/s", "rate_B/s", "utilization", "backpressure",
		"capacity_elements",
		"occupancy_mean_elements", "occupancy_max_elements", "latency_mean_s", "latency_p99_s", "latency_max_s"}}
	for _, e := range m.Edges {
		row := []string{e.Edge, digitsOf(e.Elements), digitsOf(e.Left), number(e.ElementRate), number(e.Rate),
			number(e.Utilization), number(e.Backpressure), strconv.Itoa(e.Capacity), number(e.MeanHeld),
			digitsOf(e.MostHeld), "", "", ""}
		if d := e.Occupancy; d != nil {
			row[8], row[9] = number(d.Mean), number(d.Max)
		}
		if d := e.Latency; d != nil {
			row[10], row[11], row[12] = number(d.Mean), number(Number(d.Quantile(0.99))), number(d.Max)
		}
		rows = append(rows, row)
	}
	return rows
}

func (m *Measured) histogramRows() [][]string {
	rows := [][]string{{"quantity", "of", "from", "to", "elements"}}
	add := func(quantity, of string, d *Distribution) {
		if d == nil {
			return
		}
		for _, b := range d.Bins {
			rows = append(rows, []string{quantity, of, number(b.From), number(b.To), number(b.Elements)})
		}
	}
	for _, e := range m.Edges {
		add("occupancy_elements", e.Edge, e.Occupancy)
		add("latency_s", e.Edge, e.Latency)
	}
	for _, k := range m.Kernels {
		add("service_time_s", k.Kernel, k.Service)
	}
	return rows
}

func (m *Measured) frameRows() [][]string {
	rows := [][]string{{"frame", "start_s", "end_s", "of", "sent_elements", "taken_elements", "rate_B/s",
		"backpressure", "occupancy_mean_elements", "latency_mean_s", "utilization", "service_time_s"}}
	maybe := func(v *Number) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	for _, f := range m.Frames {
		head := []string{digitsOf(f.Frame), number(f.Start), number(f.End)}
		for e, x := range f.Edges {
			rows = append(rows, append(head[:3:3], m.Edges[e].Edge, digitsOf(x.Sent), digitsOf(x.Taken), number(x.Rate),
				number(x.Backpressure), maybe(x.Occupancy), maybe(x.Latency), "", ""))
		}
		for k, x := range f.Kernels {
			rows = append(rows, append(head[:3:3], m.Kernels[k].Kernel, "", "", "", "", "", "", number(x.Utilization),
				maybe(x.ServiceTime)))
		}
	}
	return rows
}
