package formats

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A dump is a line for the time, and for each key a line with its type, its name and
// the ms it has left (0: all), and one for each of its members, indented: a value, or a
// field or score and a value. Values are quoted as in Go; of a byte that is repeated
// often the number is written.

// runFrom is how often a byte is repeated where the number is written.
const runFrom = 128

func quote(s string) string {
	var parts []string
	for at := 0; at < len(s); {
		i, n := run(s[at:])
		if n == 0 {
			i = len(s) - at
		}
		if i > 0 {
			parts = append(parts, quoted(s[at:at+i]))
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%q*%d", s[at+i:at+i+1], n))
		}
		at += i + n
	}
	if parts == nil {
		return `""`
	}
	return strings.Join(parts, "+")
}

func quoted(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// run finds the first byte that is repeated often, and how often.
func run(s string) (at, n int) {
	for i := 0; i < len(s); i += n {
		for n = 1; i+n < len(s) && s[i+n] == s[i]; n++ {
		}
		if n >= runFrom && s[i] < 0x80 {
			return i, n
		}
	}
	return 0, 0
}

// unquote reads what quote has written, and returns what follows it.
func unquote(text string) (value, rest string, err error) {
	for {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", fmt.Errorf("%w: %.40s", err, text)
		}
		part, err := strconv.Unquote(quoted)
		if err != nil {
			return "", "", err
		}
		text = text[len(quoted):]
		if after, ok := strings.CutPrefix(text, "*"); ok {
			end := strings.IndexAny(after+" ", "+ ")
			n, err := strconv.Atoi(after[:end])
			if err != nil {
				return "", "", err
			}
			part, text = strings.Repeat(part, n), after[end:]
		}
		value += part
		after, more := strings.CutPrefix(text, "+")
		if !more {
			return value, strings.TrimPrefix(text, " "), nil
		}
		text = after
	}
}

// dump writes all keys of a server.
func dump(ctx context.Context, client *redis.Client, title string) (string, error) {
	var b strings.Builder
	now, err := client.Time(ctx).Result()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "# %s\ntime %d\n", title, now.UnixMilli())
	keys, err := client.Keys(ctx, "*").Result()
	if err != nil {
		return "", err
	}
	slices.Sort(keys)
	for _, key := range keys {
		kind, err := client.Type(ctx, key).Result()
		if err != nil {
			return "", err
		}
		left, err := client.PTTL(ctx, key).Result()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s %d\n", kind, quote(key), max(left, 0).Milliseconds())
		if err := members(ctx, client, &b, kind, key); err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
	}
	return b.String(), nil
}

func members(ctx context.Context, client *redis.Client, b *strings.Builder, kind, key string) error {
	switch kind {
	case "string":
		value, err := client.Get(ctx, key).Result()
		fmt.Fprintf(b, "  %s\n", quote(value))
		return err
	case "list":
		values, err := client.LRange(ctx, key, 0, -1).Result()
		for _, v := range values {
			fmt.Fprintf(b, "  %s\n", quote(v))
		}
		return err
	case "hash":
		values, err := client.HGetAll(ctx, key).Result()
		var fields []string
		for field := range values {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		for _, field := range fields {
			fmt.Fprintf(b, "  %s %s\n", quote(field), quote(values[field]))
		}
		return err
	case "zset":
		values, err := client.ZRangeWithScores(ctx, key, 0, -1).Result()
		for _, z := range values {
			fmt.Fprintf(b, "  %s %s\n", quote(strconv.FormatFloat(z.Score, 'f', -1, 64)), quote(z.Member.(string)))
		}
		return err
	case "stream":
		entries, err := client.XRange(ctx, key, "-", "+").Result()
		if err != nil {
			return err
		}
		for _, entry := range entries {
			fmt.Fprintf(b, "  %s", quote(entry.ID))
			for _, field := range slices.Sorted(maps.Keys(entry.Values)) {
				fmt.Fprintf(b, " %s %s", quote(field), quote(entry.Values[field].(string)))
			}
			fmt.Fprintln(b)
		}
		groups, err := client.XInfoGroups(ctx, key).Result()
		for _, g := range groups {
			fmt.Fprintf(b, "  %s %s %s\n", quote(group), quote(g.Name), quote(g.LastDeliveredID))
		}
		return err
	}
	return fmt.Errorf("a %s is not dumped", kind)
}

// load puts a dump into a server and returns the time at which it was made.
func load(t *testing.T, client *redis.Client, file string) time.Time {
	t.Helper()
	ctx := context.Background()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var made time.Time
	var kind, key string
	expires := map[string]time.Duration{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		err := func() error {
			if member, ok := strings.CutPrefix(lines.Text(), "  "); ok {
				return add(ctx, client, kind, key, member)
			}
			word, rest, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "#":
				return nil
			case "time":
				ms, err := strconv.ParseInt(rest, 10, 64)
				made = time.UnixMilli(ms)
				return err
			}
			var err error
			kind = word
			if key, rest, err = unquote(rest); err != nil {
				return err
			}
			left, err := strconv.ParseInt(rest, 10, 64)
			if left > 0 {
				expires[key] = time.Duration(left) * time.Millisecond
			}
			return err
		}()
		if err != nil {
			t.Fatalf("%s:%d: %v", file, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for key, left := range expires {
		if err := client.PExpire(ctx, key, left).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// group stands before what is dumped of a stream's group, where entries have an id. What
// was delivered and not acknowledged is not dumped: whoever had it is gone.
const group = "group"

// add adds what a line says to a key.
func add(ctx context.Context, client *redis.Client, kind, key, line string) error {
	first, rest, err := unquote(line)
	if err != nil {
		return err
	}
	switch kind {
	case "string":
		return client.Set(ctx, key, first, 0).Err()
	case "list":
		return client.RPush(ctx, key, first).Err()
	}
	second, rest, err := unquote(rest)
	if err != nil {
		return err
	}
	switch kind {
	case "stream":
		texts := []any{second}
		for rest != "" {
			if second, rest, err = unquote(rest); err != nil {
				return err
			}
			texts = append(texts, second)
		}
		if first == group {
			return client.Do(ctx, append([]any{"xgroup", "create", key}, append(texts, "mkstream")...)...).Err()
		}
		return client.Do(ctx, append([]any{"xadd", key, first}, texts...)...).Err()
	case "hash":
		return client.HSet(ctx, key, first, second).Err()
	case "zset":
		return client.Do(ctx, "zadd", key, first, second).Err()
	}
	return fmt.Errorf("a %s is not loaded", kind)
}

func FuzzQuote(f *testing.F) {
	f.Add("", "x")
	f.Add(strings.Repeat("x", runFrom)+"*7", strings.Repeat(" ", runFrom-1)+`"+"`)
	f.Add("\x00\xff"+strings.Repeat("a", 1000)+strings.Repeat("\xff", 1000), "+")
	f.Fuzz(func(t *testing.T, a, b string) {
		got, rest, err := unquote(quote(a) + " " + quote(b))
		if err != nil || got != a {
			t.Fatalf("%q came back as %q, %v", a, got, err)
		}
		if got, rest, err = unquote(rest); err != nil || got != b || rest != "" {
			t.Errorf("%q came back as %q and %q, %v", b, got, rest, err)
		}
	})
}
