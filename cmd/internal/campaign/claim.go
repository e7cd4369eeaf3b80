package campaign

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// Claim is a set of points reserved by a worker.
type Claim struct {
	Number  int     `json:"number"` // number of the claim, from 1
	Worker  string  `json:"worker"`
	By      Process `json:"by"`
	Points  []Range `json:"points"`
	Careful bool    `json:"careful"` // the worker records each point before starting it
	Made    string  `json:"made"`    // time on the worker's machine, for readers only
	ended   *ended  // nil while in progress
	at      int     // last point that a careful worker recorded; -1 for none
	points  []int   // the points in Points, listed individually
}

// Range is the range of points From to To, inclusive.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// ended is the content of the file that marks a released claim.
type ended struct {
	Results []string `json:"results"` // results files that the claim wrote
}

// ranges combines sorted points into ranges.
func ranges(points []int) []Range {
	var list []Range
	for _, n := range points {
		if last := len(list) - 1; last >= 0 && list[last].To == n-1 {
			list[last].To = n
		} else {
			list = append(list, Range{n, n})
		}
	}
	return list
}

// each returns the points below count in ranges.
func each(list []Range, count int) []int {
	var points []int
	for _, r := range list {
		for n := max(0, r.From); n <= min(r.To, count-1); n++ {
			points = append(points, n)
		}
	}
	return points
}

// File extensions of claims.
const (
	claimEnding = ".json"
	endEnding   = ".end"
	atEnding    = ".at"
)

func claimName(number int, ending string) string {
	return filepath.Join(claimsFolder, fmt.Sprintf("%06d%s", number, ending))
}

// claim reserves points for a worker. first is false if another claim has the number already.
func (f *Folder) claim(c *Claim) (first bool, err error) {
	slices.Sort(c.points)
	c.Points = ranges(c.points)
	text, err := json.Marshal(c)
	if err != nil {
		return false, fmt.Errorf("claiming points: %w", err)
	}
	return f.putNew(claimName(c.Number, claimEnding), append(text, '\n'))
}

// release marks a claim as released and records the results files of the claim.
func (f *Folder) release(c *Claim, results []string) error {
	return f.putJSON(claimName(c.Number, endEnding), ended{Results: results})
}

// noteAt records the point that a worker starts.
func (f *Folder) noteAt(c *Claim, n int) error {
	return f.put(claimName(c.Number, atEnding), []byte(strconv.Itoa(n)+"\n"))
}
