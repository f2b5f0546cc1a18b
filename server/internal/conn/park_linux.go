//go:build !noepoll

package conn

import (
	"errors"
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// Parks tells whether idle connections hold no goroutine on this system.
const Parks = true

// Parking watches connections that wait for their peers, so that none of them
// needs a goroutine for that. Its own lives from the first connection to Close.
// The zero value is ready for use.
type Parking struct {
	mu     sync.Mutex
	epoll  int
	bell   int // tells look to end
	closed bool
	last   int32           // number of the connection that came last
	parked map[int32]*Conn // those that may wait, by number; nil: epoll is not open
	looks  sync.WaitGroup
}

// register lets a connection wait, and returns its number. 0: it cannot,
// because it is nothing that the kernel can watch.
func (p *Parking) register(c *Conn) int32 {
	if _, ok := c.out.Conn.(*net.TCPConn); !ok {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.parked == nil && p.open() != nil {
		return 0
	}
	for p.last++; p.last <= 0 || p.parked[p.last] != nil; p.last++ {
		// Numbers come round after two thousand million connections.
	}
	p.parked[p.last] = c
	return p.last
}

func (p *Parking) forget(number int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.parked, number)
}

// open must be called with the lock held.
func (p *Parking) open() error {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err == nil {
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, bell, &unix.EpollEvent{Events: unix.EPOLLIN})
	}
	if err != nil {
		unix.Close(epoll)
		unix.Close(bell)
		return err
	}
	p.epoll, p.bell, p.parked = epoll, bell, map[int32]*Conn{}
	p.looks.Go(p.look)
	return nil
}

// look wakes the connections whose peers have sent something, until the bell rings,
// whose number is 0. It holds a thread.
func (p *Parking) look() {
	var events [64]unix.EpollEvent
	for {
		n, err := unix.EpollWait(p.epoll, events[:], -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // nothing else can be done wrong with an epoll that is open
		}
		for _, event := range events[:max(n, 0)] {
			if event.Fd == 0 {
				return
			}
			p.mu.Lock()
			c := p.parked[event.Fd]
			p.mu.Unlock()
			if c != nil {
				c.wake()
			}
		}
	}
}

// watch wakes the connection when its peer has sent something or is gone. False: it
// is gone already.
func (p *Parking) watch(c *Conn, again bool) bool {
	tcp, ok := c.out.Conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	op := unix.EPOLL_CTL_ADD
	if again {
		op = unix.EPOLL_CTL_MOD
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: c.number}
	failed := raw.Control(func(fd uintptr) { err = unix.EpollCtl(p.epoll, op, int(fd), &event) })
	return failed == nil && err == nil
}

// Close ends the watch. No connection may wait any more.
func (p *Parking) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.parked == nil {
		return
	}
	_, _ = unix.Write(p.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	p.mu.Unlock()
	p.looks.Wait()
	p.mu.Lock()
	unix.Close(p.bell)
	unix.Close(p.epoll)
}
