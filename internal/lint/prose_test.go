package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Limits of the manual: README.md, the pages of docs without its folders, and the README.md files of configs.
const (
	maxPageLines     = 250
	maxManualWords   = 40_000 // of docs alone, generated pages included
	maxSentenceWords = 30     // the writing guide asks for 25; names and units take some more
)

// shortPages returns the pages with a limit of their own, in lines.
func shortPages() map[string]int { return map[string]int{"README.md": 100, "docs/tutorial.md": 150} }

// prose reports pages and sentences of the manual that are too long, and a manual with too many words.
func prose(root string) (faults, error) {
	var found faults
	words := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "configs/*/README.md"} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("finding the pages: %w", err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("reading the manual: %w", err)
			}
			file := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/")
			p := page{root, file, string(text)}
			limit, ok := shortPages()[file]
			if !ok {
				limit = maxPageLines
			}
			if n := strings.Count(p.text, "\n"); n > limit {
				found.addf("%s:%d: the page has %d lines, want at most %d", file, limit+1, n, limit)
			}
			if pattern == "docs/*.md" {
				words += countWords(p.text)
			}
			found = append(found, p.longSentences()...)
		}
	}
	if words > maxManualWords {
		found.addf("docs: the manual has %d words, want at most %d", words, maxManualWords)
	}
	return found, nil
}

// countWords returns the number of words that contain a letter or a digit.
func countWords(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// longSentences reports the sentences of a page that are too long. Tables, headings and code blocks have no sentences.
func (p page) longSentences() faults {
	var (
		other = regexp.MustCompile(`^(\s*$|#|\||<!--|    )`) // lines without sentences
		item  = regexp.MustCompile(`^ *([-*]|\d+\.) `)
		code  = regexp.MustCompile("`[^`]+`")     // counts as one word
		link  = regexp.MustCompile(`\]\([^)]*\)`) // its target does not count
		found faults
		text  strings.Builder
		first int
	)
	flush := func() {
		plain := code.ReplaceAllStringFunc(text.String(), func(s string) string {
			return "code" + strings.Repeat("\n", strings.Count(s, "\n"))
		})
		eachSentence(link.ReplaceAllString(plain, "]"), first, func(line int, sentence string) {
			if n := countWords(sentence); n > maxSentenceWords {
				found.addf("%s:%d: the sentence has %d words, want at most %d: %.60s…", p.file, line, n,
					maxSentenceWords, sentence)
			}
		})
		text.Reset()
	}
	p.each(func(n int, line string) {
		mark := item.FindString(line)
		none := mark == "" && other.MatchString(line)
		if mark != "" || none {
			flush()
		}
		if none {
			return
		}
		if text.Len() == 0 {
			first = n
		}
		text.WriteString(strings.TrimPrefix(line, mark) + "\n")
	})
	flush()
	return found
}

// eachSentence calls f with each sentence of a paragraph, and the line on which it starts.
func eachSentence(text string, line int, f func(line int, sentence string)) {
	var words []string
	start := line
	for row := range strings.Lines(text) {
		for word := range strings.FieldsSeq(row) {
			if words == nil {
				start = line
			}
			words = append(words, word)
			if endsSentence(word) {
				f(start, strings.Join(words, " "))
				words = nil
			}
		}
		line++
	}
	f(start, strings.Join(words, " "))
}

// endsSentence reports whether a sentence ends with this word.
func endsSentence(word string) bool {
	word = strings.TrimRight(word, `)]*_"'`)
	if !strings.HasSuffix(word, ".") && !strings.HasSuffix(word, "!") && !strings.HasSuffix(word, "?") {
		return false
	}
	short := []string{"Eq.", "Fig.", "Figs.", "ch.", "Th.", "vol.", "al."}
	return !slices.Contains(short, strings.TrimLeft(word, `([*_"'`))
}

// maxQuotes is the number of assertions of scripts that may quote six or more words. It only shrinks: scripts assert
// identifiers, names and figures, and the wording of each command is in cmd/xopt/testdata/answers.
const maxQuotes = 17

// quotes reports the assertions of scripts that quote six or more words, if there are more than limit.
func quotes(root string, limit int) (faults, error) {
	var (
		assertion = regexp.MustCompile(`^(?:\[[^\]]*\] )*(?:! )?(?:exec )?` +
			`(?:stdout|stderr|grep) (?:-count=\d+ )?'((?:[^']|'')*)'`)
		id    = regexp.MustCompile(`\\\[[a-z0-9-]+\\\]`)
		gap   = regexp.MustCompile(`\s+|\.\*`)
		word  = regexp.MustCompile(`[A-Za-z]{2}`)
		found faults
	)
	paths, err := filepath.Glob(filepath.Join(root, "cmd", "*", "testdata", "script", "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("finding the scripts: %w", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a script: %w", err)
		}
		script, _, _ := strings.Cut(string(text), "\n-- ") // without its files
		for n, line := range strings.Split(script, "\n") {
			words := 0
			if m := assertion.FindStringSubmatch(line); m != nil {
				for _, part := range gap.Split(id.ReplaceAllString(m[1], ""), -1) {
					if word.MatchString(part) {
						words++
					}
				}
			}
			if words >= 6 {
				found.addf("%s:%d: the assertion quotes %d words: assert the identifier, names and figures",
					strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/"), n+1, words)
			}
		}
	}
	if len(found) <= limit {
		return nil, nil
	}
	return found, nil
}
