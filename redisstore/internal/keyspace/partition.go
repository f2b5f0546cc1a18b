package keyspace

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"github.com/aguiws/aguiws/adapter/store"
)

// Slots is how many Cluster has.
const Slots = 16384

// threadHash names a thread inside keys: a namespace and a thread id may hold
// any bytes and be long, a key should not.
func threadHash(key store.ThreadKey) (hash [22]byte, sum uint64) {
	var room [128]byte // of most keys
	text := binary.BigEndian.AppendUint64(room[:0], uint64(len(key.Namespace)))
	text = append(append(text, key.Namespace...), key.Thread...)
	digest := sha256.Sum256(text)
	base64.RawURLEncoding.Encode(hash[:], digest[:16])
	return hash, binary.BigEndian.Uint64(digest[16:24])
}

// partitionTags returns n hash tags of which the i-th hashes into the middle of
// the i-th of n equal ranges of Cluster's slots. Masters own ranges, so that each
// of them gets its share of the partitions; tags taken as they come do not.
func partitionTags(n int) []string {
	tags := make([]string, n)
	for next, missing := 0, n; missing > 0; next++ {
		tag := "p" + strconv.Itoa(next)
		at := int(Crc16(tag)%Slots) * n
		i, eighths := at/Slots, at%Slots*8/Slots
		if tags[i] == "" && (eighths == 3 || eighths == 4) {
			tags[i] = tag
			missing--
		}
	}
	return tags
}

// Crc16 is the checksum by which Cluster places keys (XMODEM's: polynomial
// 0x1021, initial value 0).
func Crc16(s string) uint16 {
	var crc uint16
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
