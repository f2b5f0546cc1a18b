package cli

import "fmt"

// suggest names the one of the list that was probably meant.
func suggest(name string, list []string) string { return meant(nearest(name, list)) }

func meant(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// nearest is the one of the list that differs least, or "" if all differ much.
func nearest(name string, list []string) string {
	best, least := "", 1+len(name)/3
	for _, each := range list {
		if d := distance(name, each); d <= least {
			best, least = each, d-1
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
