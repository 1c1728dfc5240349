package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/examples/service/load"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// The tests in this file attack the service on a small scale. They count bytes and answers and have
// long timeouts, so that they do not fail on a busy machine.

const secret = "0123456789abcdef"

// attacker is a gRPC client that opens streams. On each stream, the attacker sends all but the last
// byte of a message as fast as flow control allows, and then stalls.
type attacker struct {
	t      *testing.T
	conn   net.Conn
	framer *http2.Framer

	mu      sync.Mutex
	left    map[uint32]int // bytes to send
	windows map[uint32]int // HTTP/2 flow-control window of each stream in bytes; stream 0 is the connection
	sent    int
	ended   int
	answers []string // grpc-status and grpc-message of every stream that has ended
}

// attack connects and opens streams.
func attack(t *testing.T, address net.Addr, method, token string, streams, message int) *attacker {
	t.Helper()
	conn, err := net.Dial("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	a := &attacker{t: t, conn: conn, framer: http2.NewFramer(conn, conn), left: map[uint32]int{}, windows: map[uint32]int{0: 65535}}
	a.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	var ended sync.WaitGroup
	t.Cleanup(func() { conn.Close(); ended.Wait() })
	io.WriteString(conn, http2.ClientPreface)
	a.framer.WriteSettings()
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	a.mu.Lock()
	for i := range streams {
		block.Reset()
		for _, h := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":path", method}, {":authority", "x"}, {"content-type", "application/grpc"}, {"te", "trailers"}, {"authorization", "Bearer " + token}} {
			headers.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		id := uint32(2*i + 1)
		a.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true})
		a.left[id], a.windows[id] = 5+message-1, 65535
		prefix := binary.BigEndian.AppendUint32([]byte{0}, uint32(message))
		a.framer.WriteData(id, false, prefix)
		a.left[id] -= 5
		a.windows[id] -= 5
		a.windows[0] -= 5
		a.sent += 5
	}
	a.mu.Unlock()
	ended.Go(a.read)
	return a
}

// read reads frames from the server until the connection ends. It answers settings and pings.
func (a *attacker) read() {
	for {
		frame, err := a.framer.ReadFrame()
		if err != nil {
			return
		}
		a.mu.Lock()
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
					for id := range a.left {
						a.windows[id] += int(v) - 65535
					}
				}
				a.framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				a.framer.WritePing(true, f.Data)
			}
		case *http2.WindowUpdateFrame:
			a.windows[f.StreamID] += int(f.Increment)
		case *http2.MetaHeadersFrame:
			if f.StreamEnded() {
				answer := ""
				for _, h := range f.Fields {
					if strings.HasPrefix(h.Name, "grpc-") {
						answer += h.Value + " "
					}
				}
				a.answers = append(a.answers, answer)
				delete(a.left, f.StreamID)
			}
		case *http2.RSTStreamFrame:
			a.ended++
			delete(a.left, f.StreamID)
		}
		junk := make([]byte, 16<<10)
		for id, left := range a.left {
			for n := min(left, a.windows[id], a.windows[0], len(junk)); n > 0; n = min(left, a.windows[id], a.windows[0], len(junk)) {
				a.framer.WriteData(id, false, junk[:n])
				left, a.windows[id], a.windows[0] = left-n, a.windows[id]-n, a.windows[0]-n
				a.sent += n
			}
			a.left[id] = left
		}
		a.mu.Unlock()
	}
}

// state returns the number of sent bytes and the number of ended streams.
func (a *attacker) state() (sent, ended int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent, len(a.answers)
}

// heap returns the number of heap bytes in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// guarded returns a configuration with a token and small limits.
func guarded(t *testing.T) Config {
	c := config(t)
	c.TokenFile = fixture.Write(t, filepath.Join(t.TempDir(), "token"), []byte(secret))
	c.Body, c.ReadTimeout, c.Receiving = 1<<20, time.Minute, 4
	return c
}

// checkClassify sends a gRPC request with the token. It returns an error unless the service answers.
func checkClassify(t *testing.T, address net.Addr) error {
	t.Helper()
	conn, err := grpc.NewClient(address.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "bearer "+secret)
	_, err = pb.NewTransformClient(conn).Classify(ctx, &pb.ClassifyRequest{Rows: &pb.Rows{Columns: 10, Float64: make([]float64, 10)}}, grpc.WaitForReady(true))
	return err
}

const classifyMethod = pb.Transform_Classify_FullMethodName

// TestStalledWithoutToken opens 200 streams without a token for each of several methods. Each
// stream announces a message of 1 MiB. The test checks that the service refuses the streams before
// it receives the messages.
func TestStalledWithoutToken(t *testing.T) {
	r := start(t, guarded(t), io.Discard)
	address := r.Addresses()[2]
	if err := checkClassify(t, address); err != nil { // keep the allocations of the first request out of the measurement
		t.Fatal(err)
	}
	before := heap()
	for _, method := range []string{classifyMethod, "/grpc.health.v1.Health/Watch", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "/no.such/Method"} {
		for range 2 {
			a := attack(t, address, method, "wrong", 100, 1<<20)
			fixture.Until(t, func() bool { _, ended := a.state(); return ended == 100 })
			for _, answer := range a.answers {
				if !strings.HasPrefix(answer, fmt.Sprint(int(codes.Unauthenticated))) {
					t.Fatalf("%s: %s", method, answer)
				}
			}
		}
	}
	// The health check needs neither a token nor a message.
	a := attack(t, address, "/grpc.health.v1.Health/Check", "wrong", 100, 1<<20)
	fixture.Until(t, func() bool { _, ended := a.state(); return ended == 100 })
	if a.answers[0][0] != '0' {
		t.Errorf("health: %s", a.answers[0])
	}
	if used := heap() - before; used > 16<<20 {
		t.Errorf("900 stalled streams hold %d MiB", used>>20)
	}
	if err := checkClassify(t, address); err != nil {
		t.Error(err)
	}
}

// TestStalledWithToken checks that a client with the token cannot make the service receive more
// data than its limits allow, and that one connection cannot block other clients.
func TestStalledWithToken(t *testing.T) {
	r := start(t, guarded(t), io.Discard)
	address := r.Addresses()[2]
	if err := checkClassify(t, address); err != nil {
		t.Fatal(err)
	}
	before := heap()
	const streams, message, perConnection = 100, 1 << 20, 2
	a := attack(t, address, classifyMethod, secret, streams, message)
	// Two streams get slots and send all of their messages except the last byte. All other streams
	// send only as much as flow control allows.
	const slots = perConnection * message
	fixture.Until(t, func() bool { sent, _ := a.state(); return sent >= slots })
	if err := checkClassify(t, address); err != nil {
		t.Errorf("beside the attack: %v", err)
	}
	time.Sleep(50 * time.Millisecond) // wait in case more bytes arrive
	sent, ended := a.state()
	if most := slots + streams*(64<<10); sent > most || ended > 0 {
		t.Errorf("%d bytes were received, %d at most are allowed; %d streams ended", sent, most, ended)
	}
	if used := heap() - before; used > 32<<20 {
		t.Errorf("100 stalled streams hold %d MiB", used>>20)
	}
}

// TestReceiveTime checks that the service ends a stream if the message does not arrive in time, and
// then frees the slot of the stream.
func TestReceiveTime(t *testing.T) {
	c := guarded(t)
	c.ReadTimeout = 200 * time.Millisecond
	r := start(t, c, io.Discard)
	a := attack(t, r.Addresses()[2], classifyMethod, secret, 10, 1000)
	fixture.Until(t, func() bool { _, ended := a.state(); return ended == 10 })
	slow := 0
	for _, answer := range a.answers {
		switch {
		case strings.HasPrefix(answer, fmt.Sprint(int(codes.DeadlineExceeded))):
			slow++
		case !strings.HasPrefix(answer, fmt.Sprint(int(codes.Unavailable))): // the stream never had a slot
			t.Errorf("%s", answer)
		}
	}
	if slow == 0 {
		t.Errorf("%q", a.answers)
	}
	fixture.Until(t, func() bool { return checkClassify(t, r.Addresses()[2]) == nil })
	if n := strings.Count(r.get(t, r.url+"/readyz"), "ready"); n != 1 {
		t.Error("HTTP does not answer")
	}
}

// TestIdleConnections opens three times as many idle connections as allowed. It checks that other
// clients can still connect over every protocol.
func TestIdleConnections(t *testing.T) {
	c := config(t)
	c.Connections = 20
	r := start(t, c, io.Discard)
	for i, address := range r.Addresses() {
		for range 3 * c.Connections {
			conn, err := net.Dial("tcp", address.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if i != 2 {
				io.WriteString(conn, "GET /") // an incomplete header
			}
		}
	}
	if err := checkClassify(t, r.Addresses()[2]); err != nil {
		t.Errorf("gRPC: %v", err)
	}
	client := &load.HTTP{Address: r.Addresses()[0].String(), Requests: [][]byte{rowBody()}}
	defer client.Close()
	if o := client.Do(); o != load.OK {
		t.Errorf("HTTP: %v", o)
	}
	text := r.get(t, r.admin+"/metrics")
	for _, want := range []string{`monge_connections{listener="http"} 5`, `monge_connections{listener="admin"} 5`, "monge_connections_evicted_total 1"} {
		if !strings.Contains(text, want) { // 5 is a quarter of c.Connections; the last text matches any number of evictions that begins with the digit 1
			t.Errorf("no %s", want)
		}
	}
}

// TestRequests checks that excess requests are rejected over both protocols.
func TestRequests(t *testing.T) {
	c := guarded(t)
	c.Engine.Requests = 1
	r := start(t, c, io.Discard)
	a := attack(t, r.Addresses()[2], classifyMethod, secret, 1, 1000)
	fixture.Until(t, func() bool { sent, _ := a.state(); return sent == 1004 })
	fixture.Until(t, func() bool { return status.Code(checkClassify(t, r.Addresses()[2])) == codes.Unavailable })
	request, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/v1/classify", strings.NewReader(`{"rows":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "bearer "+secret)
	answer, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "too many requests") {
		t.Errorf("%s, %s", answer.Status, text)
	}
}
