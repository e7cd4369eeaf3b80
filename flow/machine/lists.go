package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// mostProcessors is the maximum number of processors in a list: Linux has no more.
const mostProcessors = 1 << 16

// parseList reads a list of processors or nodes as sysfs has it: 0-3,8. An empty text is an empty list.
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
		if err != nil || a < 0 || b < a || b >= mostProcessors {
			return nil, fmt.Errorf("%q is not a list of numbers such as 0-3,8", text)
		}
		for i := a; i <= b; i++ {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// parseMask reads a set of bits as sysfs has it: words of 32 bits in hexadecimal, the highest first, with commas
// between.
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
	if n := len(list); n > 0 && list[n-1] >= mostProcessors {
		return nil, fmt.Errorf("%q names processor %d, but Linux has fewer", text, list[n-1])
	}
	return list, nil
}

// Ranges writes numbers in rising order as sysfs does: 0-3,8.
func Ranges(list []int) string { return spans(list, "-", ",") }

// spans writes numbers in rising order, with runs of them as their ends.
func spans(list []int, to, and string) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
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

// common returns the numbers that are in both lists, in the order of the first.
func common(a, b []int) []int {
	var list []int
	for _, x := range a {
		if slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	return list
}
