// Package guard limits the connections of a listener, so that idle connections cannot block other
// clients.
//
// If a client connects when the limit is reached, the listener closes a connection that is not in
// use. It prefers the oldest connection that has never made an authorized request. If there is no
// such connection, the listener closes the connection that has been idle for the longest time. If
// all connections are in use, the new connection waits. At most a quarter of the connections may be
// without an authorized request.
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
	change *sync.Cond // signals that a connection was closed or is idle, or that the listener was closed
	conns  map[*Conn]struct{}
	new    int    // connections without an authorized request so far
	uses   uint64 // number of uses so far, to order connections by their last use
	closed bool
}

// Listen wraps l in a Listener that limits the number of open connections to limit. Each connection
// has the given number of slots (see Conn.Slot). If the listener closes a connection to make room for a
// new connection, it calls evicted.
func Listen(l net.Listener, limit, slots int, evicted func()) *Listener {
	g := &Listener{Listener: l, limit: limit, slots: slots, evicted: evicted, conns: map[*Conn]struct{}{}, drained: make(chan struct{})}
	g.change = sync.NewCond(&g.mu)
	return g
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	inner, err := l.acceptConn()
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: inner, listener: l, opened: time.Now(), slots: make(chan struct{}, l.slots)}
	c.remote = &address{inner.RemoteAddr(), c}
	l.mu.Lock()
	defer l.mu.Unlock()
	for (len(l.conns) >= l.limit || l.new >= max(1, l.limit/4)) && !l.closed && !l.draining.Load() {
		if idle := l.evictionCandidate(); idle != nil {
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
	c.lastUse = l.uses
	l.conns[c] = struct{}{}
	l.new++
	return c, nil
}

// remove removes a connection from the listener. The caller holds mu.
func (l *Listener) remove(c *Conn) {
	if _, ok := l.conns[c]; ok && !c.authorized {
		l.new--
	}
	delete(l.conns, c)
}

// evictionCandidate returns the connection to close first, or nil if all connections are in use.
func (l *Listener) evictionCandidate() (first *Conn) {
	for c := range l.conns {
		if c.requests > 0 {
			continue
		}
		if first == nil || first.authorized && !c.authorized || first.authorized == c.authorized && c.lastUse < first.lastUse {
			first = c
		}
	}
	return first
}

// Drain closes the listener without resetting clients. When a listener is closed, the system resets
// the connections that wait for Accept. Drain therefore first shortens this queue and stops
// accepting. It waits until every client that is connecting is either in the queue or ignored by
// the system. Then Drain empties the queue. After that, Accept returns net.ErrClosed. Drain ends
// early if the context ends.
func (l *Listener) Drain(ctx context.Context) {
	if d, ok := l.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		shrinkQueue(l.Listener)
		l.settled = time.Now().Add(settleTime)
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

// Unread reports whether a client has connected within the last second and has not made an
// authorized request yet. Such a client may have sent a request that has not arrived.
// http.Server.Shutdown would close this connection without an answer.
func (l *Listener) Unread() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if !c.authorized && time.Since(c.opened) < time.Second {
			return true
		}
	}
	return false
}

const (
	// settleTime is the time after which the system has either queued or ignored every connecting
	// client.
	settleTime = 20 * time.Millisecond
	// retransmitTime is the time after which a client has repeated a lost packet. A packet is lost
	// if the queue is full. After this time, the client's connection is in the queue.
	retransmitTime = 250 * time.Millisecond
)

// acceptConn returns the next connection.
func (l *Listener) acceptConn() (net.Conn, error) {
	if !l.draining.Load() {
		c, err := l.Listener.Accept()
		if !l.draining.Load() || err == nil {
			return c, err
		}
	}
	for _, wait := range []time.Duration{0, retransmitTime} {
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
	return nil // Drain has already closed the listener
}

// Open returns the number of open connections.
func (l *Listener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns)
}

// Conn is a connection of a Listener. All methods except those of net.Conn accept a nil *Conn.
// Servers without a Listener use a nil *Conn.
type Conn struct {
	net.Conn
	listener *Listener
	opened   time.Time
	remote   *address
	slots    chan struct{}

	// Guarded by listener.mu.
	authorized bool   // has made an authorized request
	requests   int    // authorized requests in progress
	lastUse    uint64 // value of listener.uses at the last use
}

// address is a remote address that refers to its Conn. Function Of finds the Conn even if a TLS
// connection wraps the Conn.
type address struct {
	net.Addr
	conn *Conn
}

// RemoteAddr implements net.Conn. Pass the address to Of to get the Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// Of returns the connection with a remote address, or nil if no Listener accepted the connection.
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

// Begin marks the beginning of an authorized request. Until End is called, the listener does not
// close the connection to make room for another connection.
func (c *Conn) Begin() { c.addRequests(1) }

// End marks the end of a request.
func (c *Conn) End() { c.addRequests(-1) }

func (c *Conn) addRequests(n int) {
	if c == nil {
		return
	}
	l := c.listener
	l.mu.Lock()
	l.uses++
	if _, ok := l.conns[c]; ok && !c.authorized {
		l.new--
	}
	c.authorized, c.lastUse = true, l.uses
	if c.requests += n; c.requests == 0 {
		l.change.Signal()
	}
	l.mu.Unlock()
}

// Slot waits for a slot of the connection. Call FreeSlot to release the slot. If ctx ends first,
// Slot returns context.Cause(ctx).
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

// NewContext stores the connection in the context of its requests. Use it as
// http.Server.ConnContext.
func NewContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, key{}, Of(c.RemoteAddr()))
}

// FromContext returns the connection of an HTTP request, or nil if it is unknown.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(key{}).(*Conn)
	return c
}
