package graph

// Distances in the key, in pixels.
const (
	keyHeight = 20.0 // of a line
	signWidth = 26.0
	signRoom  = 6.0 // between a sign and its text
	keyGap    = 18.0
)

// placeKey puts the entries of the key below the rest, in lines that are as wide as it is, or as
// the longest entry.
func (l *Layout) placeKey() {
	if len(l.graph.Key) == 0 {
		return
	}
	x, y := margin, l.height+margin
	right := max(l.width-margin, 360)
	for _, e := range l.graph.Key {
		w := signWidth + signRoom + textWidth(e.Text, nodeText)
		if x > margin && x+w > right {
			x, y = margin, y+keyHeight
		}
		l.key = append(l.key, rect{x, y, w, keyHeight})
		l.width = max(l.width, x+w+margin)
		x += w + keyGap
	}
	l.height = y + keyHeight + margin
}

// drawKey draws the key.
func (l *Layout) drawKey(c canvas) {
	for i, r := range l.key {
		e := &l.graph.Key[i]
		c.begin(tag{class: "key"})
		middle := r.y + r.h/2
		if e.IsEdge {
			x := route{begin: point{r.x, middle}, tip: point{r.x + signWidth, middle}, direction: point{1, 0}}
			x.line(point{r.x + signWidth - arrowLength(e.Width) + 1, middle})
			c.path(&x, e.Width, e.Border)
			c.arrow(x.head(e.Width), e.Border)
		} else {
			c.box(rect{r.x, middle - 6, signWidth, 12}, barRadius, e.Look)
		}
		c.text(point{r.x + signWidth + signRoom, middle + 0.36*nodeText}, toRight, nodeText, false, false, ink(),
			e.Text)
		c.end()
	}
}

// Sign renders the sign of an entry as a small SVG.
func (e *Entry) Sign() string {
	s := &svg{}
	l := &Layout{graph: &Graph{Key: []Entry{{IsEdge: e.IsEdge, Look: e.Look}}},
		key: []rect{{2, 0, signWidth, keyHeight - 4}}}
	const w, h = signWidth + 4, keyHeight - 4
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" aria-hidden="true">`,
		w, h, w, h)
	l.drawKey(s)
	s.printf("</svg>")
	return s.String()
}
