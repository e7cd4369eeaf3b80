package main

import (
	"encoding/csv"
	"html"
	"regexp"
	"strings"
	"testing"
)

// csvGrids reads tables from CSV by name, and their titles.
func csvGrids(t *testing.T, s string) (grids map[string]*grid, titles map[string]string) {
	t.Helper()
	grids, titles = make(map[string]*grid), make(map[string]string)
	for part := range strings.SplitSeq("\n"+s, "\n# ") {
		head, body, ok := strings.Cut(part, "\n")
		id, title, named := strings.Cut(head, ": ")
		if !ok || !named {
			continue
		}
		r := csv.NewReader(strings.NewReader(body))
		r.FieldsPerRecord = -1
		rows, err := r.ReadAll()
		if err != nil || len(rows) == 0 {
			t.Fatalf("%s: %v", id, err)
		}
		grids[id], titles[id] = &grid{rows[0], rows[1:]}, title
	}
	return grids, titles
}

// markdownGrids reads tables from Markdown, by the titles that they have.
func markdownGrids(s string, titles map[string]string) map[string]*grid {
	grids := make(map[string]*grid)
	for part := range strings.SplitSeq(s, "\n### ") {
		head, body, _ := strings.Cut(part, "\n")
		g := &grid{}
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "## ") {
				break
			}
			if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") {
				continue
			}
			line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
			var row []string
			for cell := range strings.SplitSeq(line, "|") {
				cell = regexp.MustCompile(`\\(.)`).ReplaceAllString(strings.ReplaceAll(cell, "\x00", "|"), "$1")
				row = append(row, squeezed1(html.UnescapeString(cell)))
			}
			if g.heads == nil {
				g.heads = row
			} else {
				g.rows = append(g.rows, row)
			}
		}
		for id, title := range titles {
			if strings.HasPrefix(strings.ReplaceAll(head, `\`, ""), title) && g.heads != nil {
				grids[id] = g
			}
		}
	}
	return grids
}

// pageGrids reads tables from a page by their names.
func pageGrids(s string) map[string]*grid {
	grids := make(map[string]*grid)
	inner := func(s string) string {
		s = strings.ReplaceAll(s, "<sup", " <sup") // the letter of the origin
		return squeezed1(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, "")))
	}
	for _, m := range regexp.MustCompile(`(?s)<figure class="table[^"]*" id="([^"]*)">(.*?)</figure>`).
		FindAllStringSubmatch(s, -1) {
		g := &grid{}
		for _, r := range regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`).FindAllStringSubmatch(m[2], -1) {
			var row []string
			for _, c := range regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`).FindAllStringSubmatch(r[1], -1) {
				row = append(row, inner(c[1]))
			}
			if g.heads == nil {
				g.heads = row
			} else {
				g.rows = append(g.rows, row)
			}
		}
		grids[m[1]] = g
	}
	return grids
}

// squeezed1 reduces white space to one space between words.
func squeezed1(s string) string { return strings.Join(strings.Fields(s), " ") }
