package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/graph"
	"xopt/internal/units"
)

// figure is the input of the template for drawings.
type figure struct {
	*report.Drawing
	First   template.HTML
	Entries []keyEntry
	Packed  []template.HTML // the initially hidden pictures
	Note    string
}

// keyEntry is a legend entry.
type keyEntry struct {
	Sign template.HTML
	Text string
}

// maxPacked is a limit on the compressed size of the initially hidden pictures, in bytes. Above it, a page omits the
// remaining pictures, except those of the first mapping.
const maxPacked = 2_000_000

// newFigure renders a drawing and compresses its other pictures. The browser decompresses them on request.
func newFigure(d *report.Drawing) (*figure, error) {
	g := *d.Graph
	g.Label, g.Text = d.Title, d.Text
	f := &figure{Drawing: d, First: template.HTML(g.Layout().SVG())} //nolint:gosec // a drawing escapes its texts
	for _, x := range d.Key() {
		f.Entries = append(f.Entries, keyEntry{template.HTML(x.Sign()), x.Text}) //nolint:gosec // without text
	}
	size, without := 0, 0
	drawn := make(map[int]bool)
	for i := range d.Mappings {
		for _, x := range d.Pictures(i) {
			if x.Mapping == 0 && x.Detail == d.Detail {
				drawn[0] = true
				continue
			}
			if x.Mapping > 0 && size > maxPacked {
				break
			}
			packed, err := pack(x.Graph)
			if err != nil {
				return nil, err
			}
			size += len(packed)
			drawn[i] = true
			f.Packed = append(f.Packed, template.HTML(fmt.Sprintf( //nolint:gosec // base64 needs no escaping
				`<script type="application/gzip" class="picture" data-mapping="%d" data-detail="%s">%s</script>`,
				x.Mapping, x.Detail, packed)))
		}
		if !drawn[i] {
			without++
		}
	}
	if without > 0 {
		f.Note = fmt.Sprintf("The last %s not drawn, to keep the page small.",
			units.Counted(without, "mapping is", "mappings are"))
	}
	return f, nil
}

// pack compresses a picture and encodes it in base64.
func pack(g *graph.Graph) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(g.Layout().SVG())); err != nil {
		return "", fmt.Errorf("packing a drawing: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("packing a drawing: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
