package guard

import (
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// listen returns a listener that limits the number of connections to limit, and a function that
// opens a connection to the listener.
func listen(t *testing.T, limit int, evicted *int) (*Listener, func() (client net.Conn, server *Conn)) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listen(inner, limit, 1, func() { *evicted++ })
	t.Cleanup(func() { l.Close() })
	return l, func() (net.Conn, *Conn) {
		t.Helper()
		client := dial(t, l)
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if Of(server.RemoteAddr()) != server || server.RemoteAddr().String() != client.LocalAddr().String() {
			t.Error("the address does not lead to the connection")
		}
		return client, server.(*Conn)
	}
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// closed waits until the other side has closed the connection c.
func closed(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection is not closed: %v", err)
	}
}

// TestEviction checks the order in which connections are closed: first the oldest unauthorized
// connection, then the connection that has been idle for the longest time. A connection in use must
// stay open.
func TestEviction(t *testing.T) {
	var evicted int
	l, connect := listen(t, 2, &evicted)
	known, a := connect()
	a.Begin()
	a.End()
	anonymous, _ := connect()
	_, b := connect()
	closed(t, anonymous) // anonymous is closed, although the authorized connection is older
	b.Begin()
	b.End()
	a.Begin()
	a.End()
	a.Begin()
	_, c := connect() // closes the idle connection b, because connection a is in use
	c.Begin()
	if l.Open() != 2 || evicted != 2 {
		t.Errorf("%d open, %d evicted", l.Open(), evicted)
	}
	// All connections are in use: the next connection waits until a request ends.
	dial(t, l)
	accepted := make(chan error)
	go func() { _, err := l.Accept(); accepted <- err }()
	select {
	case err := <-accepted:
		t.Errorf("a third connection is accepted: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	a.End()
	if err := <-accepted; err != nil {
		t.Error(err)
	}
	closed(t, known)
	ctx, cancel := context.WithCancel(t.Context())
	if err := a.Slot(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if err := a.Slot(ctx); err != context.Canceled {
		t.Errorf("a second slot of one: %v", err)
	}
	a.FreeSlot()
	if a.Close(); l.Open() != 2 {
		t.Errorf("%d open", l.Open())
	}
}

// TestUnauthorized checks that connections without an authorized request take at most a quarter of
// the maximum number of connections.
func TestUnauthorized(t *testing.T) {
	var evicted int
	l, connect := listen(t, 8, &evicted)
	for range 3 {
		_, c := connect()
		c.Begin()
		c.End()
	}
	for range 10 {
		connect()
	}
	if l.Open() != 5 || l.new != 2 || evicted != 8 {
		t.Errorf("%d open, %d of them unauthorized, %d evicted", l.Open(), l.new, evicted)
	}
	for c := range l.conns {
		c.Close()
		c.Close()
	}
	if l.Open() != 0 || l.new != 0 {
		t.Errorf("%d open, %d of them unauthorized", l.Open(), l.new)
	}
}

// TestClose checks that closing the listener ends an Accept that waits for room.
func TestClose(t *testing.T) {
	var evicted int
	l, connect := listen(t, 2, &evicted)
	for range 2 {
		_, c := connect()
		c.Begin()
	}
	dial(t, l)
	accepted := make(chan error)
	go func() { _, err := l.Accept(); accepted <- err }()
	l.Close()
	if err := <-accepted; err == nil {
		t.Error("a closed listener accepts")
	}
	var none *Conn
	none.Begin()
	none.End()
	none.FreeSlot()
	if none.Slot(t.Context()) != nil || none.Age() != 0 || Of(new(net.TCPAddr)) != nil {
		t.Error("a connection of another listener")
	}
}
