package graph

import "unicode/utf8"

// The sizes of text, in pixels.
const (
	nodeText  = 11.0
	groupText = 12.0
	edgeText  = 10.0
)

// widths are those of the characters from space to ~ in Helvetica, in thousandths of the
// text size (Adobe Font Metrics); Arial and Liberation Sans have the same.
func widths() []int {
	return []int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
}

// textWidth is how wide a line of text is.
func textWidth(s string, size float64) float64 {
	const other = 650
	table := widths()
	sum := 0
	for _, r := range s {
		if r >= ' ' && r < utf8.RuneSelf-1 {
			sum += table[r-' ']
		} else {
			sum += other
		}
	}
	return float64(sum) * size / 1000
}

// longestText is how many characters of a line in a node are written, and longestName of the name
// of a box or link, which is followed by figures; its title has all.
const (
	longestText = 32
	longestName = 72
)

// short is a line as it is written.
func short(s string) string { return shortened(s, longestText) }

// shortName is the name of a box or link as it is written.
func shortName(s string) string { return shortened(s, longestName) }

func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	head := most / 2
	return string(r[:head]) + "…" + string(r[len(r)-head+1:])
}
