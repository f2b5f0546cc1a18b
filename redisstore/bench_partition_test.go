//go:build unix

package redisstore

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// BenchmarkPartition commits batches of 16 events of 64 runs that all lie in one
// partition, each run's next one when the one before has been answered: what one
// Redis and one core do together. One operation is one event.
//
//	go test ./redisstore -run '^$' -bench 'Partition$' -cpu 1 -benchtime 2s
//
// redis-ns/event and server-ns/event are processor time, of Redis by INFO and of
// this process by getrusage; the two run beside each other when there are two
// cores. The server keeps no AOF.
func BenchmarkPartition(b *testing.B) {
	const runs, window = 64, 16
	s, err := Open(context.Background(), redistest.Start(b, redistest.Options{}).URL(), &Options{Partitions: 1, Lease: time.Hour, Timeout: patience})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	claims := beginMany(b, s, runs)
	events := make([][]byte, window)
	for i := range events {
		events[i] = delta
	}
	batches := (b.N + runs*window - 1) / (runs * window) // of each run
	committed := float64(batches * runs * window)
	redisBefore, selfBefore := redisTime(b, s), ownTime(b)
	b.ReportAllocs()
	b.ResetTimer()
	if err := commitMany(s, claims, batches, events); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(committed/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(committed/window/b.Elapsed().Seconds(), "batches/s")
	b.ReportMetric(float64(redisTime(b, s)-redisBefore)/committed, "redis-ns/event")
	b.ReportMetric(float64(ownTime(b)-selfBefore)/committed, "server-ns/event")
}

// redisTime is the processor time that the server has used.
func redisTime(b *testing.B, s *Store) time.Duration {
	b.Helper()
	text, err := s.conn.Client.Info(context.Background(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	info, sum := link.ParseInfo(text), 0.0
	for _, part := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(info[part], 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += seconds
	}
	return time.Duration(sum * float64(time.Second))
}

// ownTime is the processor time that this process has used.
func ownTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
