package threadlog

import (
	"fmt"
	"strconv"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// stretches say of ids in a row who produced them: how many, the run and the step, packed.
// Empty: nobody knows of any.
func stretches(ids []string, by map[string]store.Producer) []byte {
	var list []string
	known := false
	for i := 0; i < len(ids); {
		n, producer := 1, by[ids[i]]
		for i+n < len(ids) && by[ids[i+n]] == producer {
			n++
		}
		list = append(list, strconv.Itoa(n), producer.RunID, producer.Step)
		known = known || producer.RunID != ""
		i += n
	}
	if !known {
		return []byte{}
	}
	return link.Pack(nil, list...)
}

// readProducers reads who produced ids, the last of which comes first: of each chunk before
// which offset they stand, from which on, and its stretches as snapshot.lua has them.
func readProducers(r *link.Reply, ids []string) map[string]store.Producer {
	by := map[string]store.Producer{}
	for r.More() {
		end, from, text := int(r.Int()), int(r.Int()), r.Text()
		if end < from || end-from > len(ids) {
			r.Spoil("no place of messages")
			return by
		}
		of := ids[:end-from]
		ids = ids[end-from:]
		list, err := link.Unpack(text)
		if err != nil || len(list)%3 != 0 {
			continue // nobody knows
		}
		for i := 0; i < len(list); i += 3 {
			var first, count int
			if _, err := fmt.Sscanf(list[i], "%d %d", &first, &count); err != nil || first < 0 || count < 0 {
				continue
			}
			for at := max(first, from); at < min(first+count, end); at++ {
				by[of[end-1-at]] = store.Producer{RunID: list[i+1], Step: list[i+2]}
			}
		}
	}
	return by
}
