// Package guard limits the connections of a listener, so that idle connections cannot keep
// other clients out.
//
// When the limit is reached and another client connects, the listener closes a connection
// that is not in use: first the oldest one that has never made an authorized request, then
// the one that has been idle for longest. If all connections are in use, the new one waits.
// Of the connections, at most a quarter have never made an authorized request.
package guard

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Listener accepts a limited number of connections. Use Listen to make one.
type Listener struct {
	net.Listener
	limit   int
	slots   int
	evicted func() // called for every connection that is closed to make room

	draining atomic.Bool
	settled  time.Time // set before draining
	drained  chan struct{}

	mu     sync.Mutex
	change *sync.Cond // a connection was closed or is idle, or the listener was closed
	conns  map[*Conn]struct{}
	new    int    // of these, connections that have never made an authorized request
	uses   uint64 // counts uses, to order connections by their last one
	closed bool
}

// Listen limits l to limit connections, each with the given number of slots (see Conn.Slot).
// evicted is called for every connection that is closed to make room for another.
func Listen(l net.Listener, limit, slots int, evicted func()) *Listener {
	g := &Listener{Listener: l, limit: limit, slots: slots, evicted: evicted, conns: map[*Conn]struct{}{}, drained: make(chan struct{})}
	g.change = sync.NewCond(&g.mu)
	return g
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	inner, err := l.accept()
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: inner, listener: l, opened: time.Now(), slots: make(chan struct{}, l.slots)}
	c.remote = &address{inner.RemoteAddr(), c}
	l.mu.Lock()
	defer l.mu.Unlock()
	for (len(l.conns) >= l.limit || l.new >= max(1, l.limit/4)) && !l.closed && !l.draining.Load() {
		if idle := l.idle(); idle != nil {
			l.remove(idle)
			idle.Conn.Close()
			l.evicted()
		} else {
			l.change.Wait()
		}
	}
	if l.closed {
		inner.Close()
		return nil, net.ErrClosed
	}
	l.uses++
	c.last = l.uses
	l.conns[c] = struct{}{}
	l.new++
	return c, nil
}

// remove forgets a connection. The caller holds mu.
func (l *Listener) remove(c *Conn) {
	if _, ok := l.conns[c]; ok && !c.known {
		l.new--
	}
	delete(l.conns, c)
}

// idle returns the connection to close first, or nil if all are in use.
func (l *Listener) idle() (first *Conn) {
	for c := range l.conns {
		if c.requests > 0 {
			continue
		}
		if first == nil || first.known && !c.known || first.known == c.known && c.last < first.last {
			first = c
		}
	}
	return first
}

// Drain closes the listener so that clients see no reset: the system resets connections that wait to be accepted
// when their listener is closed. First the queue is made short, and nothing is accepted until every client that
// connects at the moment is in the queue or has been ignored. Then the queue is emptied. Accept returns
// net.ErrClosed afterwards. Drain ends with the context.
func (l *Listener) Drain(ctx context.Context) {
	if d, ok := l.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		shrinkQueue(l.Listener)
		l.settled = time.Now().Add(settle)
		l.draining.Store(true)
		d.SetDeadline(time.Now()) // ends the Accept in progress
		l.mu.Lock()
		l.change.Broadcast()
		l.mu.Unlock()
		select {
		case <-l.drained:
		case <-ctx.Done():
		}
	}
}

// Unread reports whether a client has connected within the last second and has made no authorized request yet. Such
// a request may be on its way. http.Server.Shutdown would close its connection without an answer.
func (l *Listener) Unread() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if !c.known && time.Since(c.opened) < time.Second {
			return true
		}
	}
	return false
}

const (
	// settle is the time in which every client that connects gets into the queue or is ignored.
	settle = 20 * time.Millisecond
	// repeat is the time after which a client repeats a packet that the full queue has lost. Its connection is in the
	// queue then.
	repeat = 250 * time.Millisecond
)

// accept returns the next connection.
func (l *Listener) accept() (net.Conn, error) {
	if !l.draining.Load() {
		c, err := l.Listener.Accept()
		if !l.draining.Load() || err == nil {
			return c, err
		}
	}
	for _, wait := range []time.Duration{0, repeat} {
		time.Sleep(time.Until(l.settled.Add(wait)))
		if c := acceptWaiting(l.Listener); c != nil {
			return c, nil
		}
	}
	l.Listener.Close()
	close(l.drained)
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.change.Broadcast()
	l.mu.Unlock()
	if err := l.Listener.Close(); !l.draining.Load() {
		return err
	}
	return nil // Drain has closed it already
}

// Open returns the number of open connections.
func (l *Listener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns)
}

// Conn is a connection of a Listener. Its methods, except those of net.Conn, accept a nil Conn, for
// servers with another listener.
type Conn struct {
	net.Conn
	listener *Listener
	opened   time.Time
	remote   *address
	slots    chan struct{}

	// Guarded by listener.mu.
	known    bool   // it has made an authorized request
	requests int    // authorized requests in progress
	last     uint64 // number of its last use
}

// address is a remote address that leads to its connection, also through a TLS connection.
type address struct {
	net.Addr
	conn *Conn
}

// RemoteAddr implements net.Conn. Of returns the Conn of this address.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Of returns the connection with a remote address, or nil if its listener is not a Listener.
func Of(remote net.Addr) *Conn {
	if a, ok := remote.(*address); ok {
		return a.conn
	}
	return nil
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.change.Signal()
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// Begin marks the beginning of an authorized request. The connection is not closed to make room
// until End is called.
func (c *Conn) Begin() { c.use(1) }

// End marks the end of a request.
func (c *Conn) End() { c.use(-1) }

func (c *Conn) use(n int) {
	if c == nil {
		return
	}
	l := c.listener
	l.mu.Lock()
	l.uses++
	if _, ok := l.conns[c]; ok && !c.known {
		l.new--
	}
	c.known, c.last = true, l.uses
	if c.requests += n; c.requests == 0 {
		l.change.Signal()
	}
	l.mu.Unlock()
}

// Slot waits for a slot of the connection, which FreeSlot releases. If ctx ends, it returns
// context.Cause(ctx).
func (c *Conn) Slot(ctx context.Context) error {
	if c == nil {
		return nil
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// FreeSlot releases a slot.
func (c *Conn) FreeSlot() {
	if c != nil {
		<-c.slots
	}
}

// Age returns how long the connection has been open.
func (c *Conn) Age() time.Duration {
	if c == nil {
		return 0
	}
	return time.Since(c.opened)
}

type key struct{}

// NewContext is for http.Server.ConnContext: it remembers the connection of a request.
func NewContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, key{}, Of(c.RemoteAddr()))
}

// FromContext returns the connection of an HTTP request, nil if it is unknown.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(key{}).(*Conn)
	return c
}
