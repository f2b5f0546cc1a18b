package redisstore

import "github.com/aguiws/aguiws/adapter/store"

// Keys names the keys that hold a thread alone, whether there is something in them or
// not, for people who look into Redis. They share one slot.
func (s *Store) Keys(key store.ThreadKey) []string {
	t := s.keys.thread(key)
	all := t.all()
	own := all[:0:0]
	for _, k := range all {
		if len(k) > len(t.base) && k[:len(t.base)] == t.base {
			own = append(own, k)
		}
	}
	return own
}
