package judge

// between is no message.
var between = said{role: "-"}

// prefixes says of each place how much of the beginning is repeated there (the Z-function).
func prefixes(texts []said) []int {
	runs := make([]int, len(texts))
	for i, from, to := 1, 0, 0; i < len(texts); i++ {
		if i < to {
			runs[i] = min(to-i, runs[i-from])
		}
		for i+runs[i] < len(texts) && texts[runs[i]] == texts[i+runs[i]] {
			runs[i]++
		}
		if i+runs[i] > to {
			from, to = i, i+runs[i]
		}
	}
	return runs
}
