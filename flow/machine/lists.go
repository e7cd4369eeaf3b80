package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// maxProcessors is the maximum number of processors in a list. It exceeds the number that Linux supports.
const maxProcessors = 1 << 16

// parseList parses a list of processors or nodes in sysfs format: 0-3,8. An empty text is an empty list.
func parseList(text string) ([]int, error) {
	var list []int
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(strings.TrimSpace(from))
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if err != nil || a < 0 || b < a || b >= maxProcessors {
			return nil, fmt.Errorf("%q is not a list of numbers such as 0-3,8", text)
		}
		for i := a; i <= b; i++ {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// parseMask parses a bit mask in sysfs format: 32-bit words in hexadecimal, separated by commas, highest first.
func parseMask(text string) ([]int, error) {
	words := strings.Split(strings.TrimSpace(text), ",")
	var list []int
	for i, w := range words {
		v, err := strconv.ParseUint(w, 16, 64)
		if err != nil || len(words) > 1 && v > 0xffffffff {
			return nil, fmt.Errorf("%q is not a set of bits such as 00000000,0000000f", text)
		}
		base := 32 * (len(words) - 1 - i)
		for ; v != 0; v &= v - 1 {
			list = append(list, base+bits.TrailingZeros64(v))
		}
	}
	slices.Sort(list)
	if n := len(list); n > 0 && list[n-1] >= maxProcessors {
		return nil, fmt.Errorf("%q names processor %d, but Linux supports at most %d processors", text, list[n-1],
			maxProcessors)
	}
	return list, nil
}

// Ranges formats ascending numbers in sysfs format: 0-3,8.
func Ranges(list []int) string { return spans(list, "-", ",", 2) }

// spans formats numbers, and abbreviates each run of at least shortest ascending numbers to its ends.
func spans(list []int, to, and string, shortest int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j-i+1 < shortest {
			j = i
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += to + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, and)
}

// common returns the numbers that are in both lists, in the order of the first list.
func common(a, b []int) []int {
	var list []int
	for _, x := range a {
		if slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	return list
}
