package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	pb "github.com/gomonge/monge/examples/service/servicepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// HTTP is a client that sends prepared requests and therefore uses little processor time. It
// implements only a small part of the HTTP protocol.
type HTTP struct {
	Address  string
	Requests [][]byte // the bytes of complete HTTP requests
	next     int
	conn     net.Conn
	in       *bufio.Reader
}

// Request returns the bytes of an HTTP POST request.
func Request(path, contentType, token string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: load\r\nContent-Type: %s\r\nContent-Length: %d\r\n", path, contentType, len(body))
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// Do implements Client.
func (c *HTTP) Do() Outcome {
	status, err := c.exchange()
	if err != nil {
		c.Close()
		return Failed
	}
	switch status {
	case 200:
		return OK
	case 503:
		return Shed
	}
	return Failed
}

func (c *HTTP) exchange() (status int, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", c.Address); err != nil {
			return 0, err
		}
		c.in = bufio.NewReaderSize(c.conn, 32<<10)
	}
	c.next = (c.next + 1) % len(c.Requests)
	c.conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := c.conn.Write(c.Requests[c.next]); err != nil {
		return 0, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil || len(line) < len("HTTP/1.1 200") {
		return 0, fmt.Errorf("status line %q: %w", line, err)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := -1
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(v)); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("an answer without a length")
	}
	_, err = c.in.Discard(length)
	return status, err
}

// GRPC is a client of the gRPC interface. Clients may share a connection.
type GRPC struct {
	Client pb.TransformClient
	Call   func(ctx context.Context, c pb.TransformClient) error
}

// Do implements Client.
func (c *GRPC) Do() Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	switch err := c.Call(ctx, c.Client); status.Code(err) {
	case codes.OK:
		return OK
	case codes.Unavailable:
		return Shed
	default:
		return Failed
	}
}

// Close closes the connection.
func (c *HTTP) Close() {
	if c.conn != nil {
		c.conn.Close()
	}
	c.conn = nil
}
