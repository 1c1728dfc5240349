package server

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
)

// Config is what New needs. Every field is a flag.
type Config struct {
	Engine engine.Config

	// HTTP, GRPC and Admin are addresses to listen on; an empty one is none.
	HTTP, GRPC, Admin string
	// TLSCert and TLSKey are PEM files.
	TLSCert, TLSKey string
	// TokenFile holds the bearer token that clients must show.
	TokenFile string
	// Public allows addresses other than loopback without TLS and token.
	Public bool

	Body        int64         // bytes of a request
	Bodies      int64         // bytes of all requests that are being read or answered
	Connections int           // of each listener
	ReadTimeout time.Duration // in which a request must have come
	Watch       time.Duration // between looks at the model file; 0 looks only when told to
	// Drain is the time between saying that no more requests are wanted and closing the
	// listeners; Grace is what requests in flight then have to end.
	Drain, Grace time.Duration
}

// Flags defines a flag for every field, with its default.
func (c *Config) Flags(fs *flag.FlagSet) {
	e := &c.Engine
	*e = engine.DefaultConfig()
	fs.StringVar(&e.Model, "model", "", "model `file`, as monge fit --k writes it (required); read again on SIGHUP, POST /reload and -watch")
	fs.StringVar(&e.Check.Samples, "check", "", "`file` of samples and their classes that a model must classify before it is served")
	fs.Float64Var(&e.Check.Accuracy, "check-accuracy", e.Check.Accuracy, "share of them that it must classify right")
	fs.Float64Var(&e.Check.RejectShare, "reject-share", 0, "reject a class that fewer than this share of the neighbors have")
	fs.Float64Var(&e.Check.RejectQuantile, "reject-quantile", 0, "reject a class whose neighbors are farther than those of this part of the -check samples, as 0.99")
	fs.StringVar(&c.HTTP, "http", "127.0.0.1:8080", "address of HTTP; empty is none")
	fs.StringVar(&c.GRPC, "grpc", "127.0.0.1:8081", "address of gRPC; empty is none")
	fs.StringVar(&c.Admin, "admin", "127.0.0.1:8082", "address of /metrics and /reload; empty is none")
	fs.StringVar(&c.TLSCert, "tls-cert", "", "PEM `file` of the certificate")
	fs.StringVar(&c.TLSKey, "tls-key", "", "PEM `file` of its key")
	fs.StringVar(&c.TokenFile, "token-file", "", "`file` of the bearer token that clients must show")
	fs.BoolVar(&c.Public, "insecure-public", false, "allow addresses other than loopback without TLS and token")
	fs.Int64Var(&c.Body, "max-body", 8<<20, "bytes of a request")
	fs.Int64Var(&c.Bodies, "max-bodies", 128<<20, "bytes of all HTTP requests that are being read or answered")
	fs.IntVar(&e.Limits.Rows, "max-rows", e.Limits.Rows, "rows to project or classify in a request")
	fs.IntVar(&e.Limits.Columns, "max-columns", e.Limits.Columns, "dimension of points to transport")
	fs.IntVar(&e.Limits.Pairs, "max-pairs", e.Limits.Pairs, "n·m of a transport problem")
	fs.DurationVar(&e.Limits.Timeout, "timeout", e.Limits.Timeout, "time for a request, waiting included")
	fs.IntVar(&c.Connections, "max-connections", 1024, "connections of a listener; others wait in the backlog")
	fs.IntVar(&e.Queue, "queue", e.Queue, "requests to project or classify that wait for a processor; more are turned away")
	fs.IntVar(&e.TransportQueue, "transport-queue", e.TransportQueue, "requests that wait for a solver; more are turned away")
	fs.IntVar(&e.Solvers.Number, "solvers", 0, "transport problems at a time; 0 is GOMAXPROCS")
	fs.Int64Var(&e.Solvers.Memory, "solver-memory", e.Solvers.Memory, "bytes that the workspaces of all solvers may take")
	fs.Float64Var(&e.Solvers.Tolerance, "tolerance", e.Solvers.Tolerance, "marginal error at which a transport problem is solved")
	fs.IntVar(&e.Solvers.MaxIterations, "max-iterations", e.Solvers.MaxIterations, "iterations at most")
	fs.DurationVar(&c.ReadTimeout, "read-timeout", 10*time.Second, "time in which a request must have come")
	fs.DurationVar(&c.Watch, "watch", 0, "time between looks at the model file; 0 looks only when told to")
	fs.DurationVar(&c.Drain, "drain", 0, "time between /readyz saying no and the listeners' closing, for a load balancer to notice")
	fs.DurationVar(&c.Grace, "grace", 15*time.Second, "time for requests in flight to end")
}

// secrets reads what the files of the configuration hold, and refuses addresses that
// others can reach unless both are there or Public says so.
func (c *Config) secrets() (conf *tls.Config, token string, err error) {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return nil, "", errors.New("-tls-cert and -tls-key go together")
	}
	if c.TLSCert != "" {
		cert, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, "", err
		}
		conf = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	}
	if c.TokenFile != "" {
		text, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, "", err
		}
		if token = strings.TrimSpace(string(text)); len(token) < 16 {
			return nil, "", fmt.Errorf("%s: a token of %d characters, 16 are the least", c.TokenFile, len(token))
		}
	}
	for _, address := range []string{c.HTTP, c.GRPC, c.Admin} {
		if address == "" || c.Public || conf != nil && token != "" {
			continue
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, "", err
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return nil, "", fmt.Errorf("%s can be reached by others: give -tls-cert, -tls-key and -token-file, or -insecure-public", address)
		}
	}
	return conf, token, nil
}
