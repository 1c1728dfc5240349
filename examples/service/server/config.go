package server

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"google.golang.org/grpc"
)

// Config configures New. Flags defines a flag for every field except Middleware and GRPCOptions.
type Config struct {
	Engine engine.Config
	// HTTP, GRPC and Admin are the addresses to listen on. An empty address disables the interface.
	HTTP, GRPC, Admin string
	// TLSCert and TLSKey are PEM files.
	TLSCert, TLSKey string
	// TokenFile holds the bearer token that clients must send.
	TokenFile string
	// Public allows non-loopback addresses without TLS and token.
	Public bool

	Body        int64         // maximum size of a request in bytes
	Receiving   int           // maximum number of gRPC messages received at the same time
	Connections int           // maximum connections of each listener
	Streams     int           // maximum number of concurrent requests on an HTTP/2 connection
	ReadTimeout time.Duration // time limit for receiving a request
	Idle        time.Duration // time after which a connection without requests is closed
	Age         time.Duration // maximum age of a connection; 0 means no limit
	Watch       time.Duration // time between checks of the model file; 0 means no checks
	// Drain is the time for which the service still accepts requests after /readyz has started to
	// answer 503. Grace is the time that requests in progress have after the listeners are closed.
	Drain, Grace time.Duration
	AccessLog    bool

	// Middleware wraps the HTTP handler. GRPCOptions are additional options of the gRPC server.
	// These fields can be used to add an OpenTelemetry SDK. For gRPC, use a stats handler:
	// interceptors are not called, because methods are registered as streams (see package grpcapi).
	Middleware  func(http.Handler) http.Handler
	GRPCOptions []grpc.ServerOption
}

// Flags defines the flags with their defaults.
func (c *Config) Flags(fs *flag.FlagSet) {
	e := &c.Engine
	*e = engine.DefaultConfig()
	fs.StringVar(&e.Model, "model", "", "model `file`, as written by monge fit --k (required); read again on SIGHUP, POST /reload and -watch")
	fs.StringVar(&e.Check.Samples, "check", "", "`file` of labeled samples; a model must classify them before it is served")
	fs.Float64Var(&e.Check.Accuracy, "check-accuracy", e.Check.Accuracy, "share of the -check samples that the model must classify correctly")
	fs.Float64Var(&e.Check.RejectShare, "reject-share", 0, "reject a class if fewer than this share of the neighbors have it")
	fs.Float64Var(&e.Check.RejectQuantile, "reject-quantile", 0, "reject a class if the neighbors are farther than this quantile of the -check samples' distances, such as 0.99")
	fs.BoolVar(&e.ExtraColumns, "extra-columns", false, "leave out columns of samples with names that the model does not know, instead of refusing them")
	fs.StringVar(&c.HTTP, "http", "127.0.0.1:8080", "`address` of HTTP; empty to switch it off")
	fs.StringVar(&c.GRPC, "grpc", "127.0.0.1:8081", "`address` of gRPC; empty to switch it off")
	fs.StringVar(&c.Admin, "admin", "127.0.0.1:8082", "`address` of /metrics, /reload and /debug/pprof; empty to switch it off")
	fs.StringVar(&c.TLSCert, "tls-cert", "", "PEM `file` of the TLS certificate")
	fs.StringVar(&c.TLSKey, "tls-key", "", "PEM `file` of the TLS key")
	fs.StringVar(&c.TokenFile, "token-file", "", "`file` that holds the bearer token; clients must send it")
	fs.BoolVar(&c.Public, "insecure-public", false, "allow addresses other than loopback without TLS and token")
	fs.Int64Var(&c.Body, "max-body", 8<<20, "limit of the `bytes` of a request")
	fs.Int64Var(&e.Memory, "memory", e.Memory, "budget in `bytes` for all requests together: one half for bodies, decoded values and answers, the other half for solvers")
	fs.Int64Var(&e.MaxModel, "max-model", e.MaxModel, "limit of the `bytes` of the model file; reading it takes up to four times as much memory")
	fs.DurationVar(&e.ModelTime, "model-time", e.ModelTime, "time limit for reading and checking the model file")
	fs.IntVar(&c.Receiving, "max-receiving", 16, "gRPC messages that are received at the same time; others wait for at most -read-timeout")
	fs.IntVar(&e.Requests, "max-requests", e.Requests, "requests in progress, over HTTP and gRPC; more are turned away")
	fs.IntVar(&e.Limits.Rows, "max-rows", e.Limits.Rows, "rows to project or classify in one request")
	fs.IntVar(&e.Limits.Columns, "max-columns", e.Limits.Columns, "dimension of the points of a transport problem")
	fs.IntVar(&e.Limits.Pairs, "max-pairs", e.Limits.Pairs, "product n·m of the points of a transport problem")
	fs.DurationVar(&e.Limits.Timeout, "timeout", e.Limits.Timeout, "time limit of a request from its last byte on, waiting included")
	fs.IntVar(&c.Connections, "max-connections", 1024, "connections of a listener; at the limit an idle one is closed for a new one")
	fs.IntVar(&c.Streams, "max-streams", 128, "requests at a time on one HTTP/2 or gRPC connection")
	fs.IntVar(&e.Queue, "queue", e.Queue, "requests to project or classify that wait for a processor; more are turned away")
	fs.DurationVar(&e.Wait, "queue-wait", e.Wait, "longest time in -queue; under lasting overload a tenth of it")
	fs.IntVar(&e.TransportQueue, "transport-queue", e.TransportQueue, "requests that wait for a solver; more are turned away")
	fs.DurationVar(&e.TransportWait, "transport-queue-wait", e.TransportWait, "longest time in -transport-queue; under lasting overload a tenth of it")
	fs.IntVar(&e.Solvers.Number, "solvers", 0, "transport problems that are solved at a time; 0 for GOMAXPROCS")
	fs.Float64Var(&e.Solvers.Tolerance, "tolerance", e.Solvers.Tolerance, "marginal error at which a transport problem is solved")
	fs.IntVar(&e.Solvers.MaxIterations, "max-iterations", e.Solvers.MaxIterations, "limit of the iterations of a transport problem")
	fs.DurationVar(&c.ReadTimeout, "read-timeout", 10*time.Second, "time limit for receiving a request")
	fs.DurationVar(&c.Idle, "idle-timeout", 2*time.Minute, "time after which a connection without requests is closed")
	fs.DurationVar(&c.Age, "max-connection-age", 30*time.Minute, "time after which a connection is closed when its requests have ended; 0 for no limit")
	fs.DurationVar(&c.Watch, "watch", 0, "interval of looking for a new model file; 0 to switch it off")
	fs.DurationVar(&c.Drain, "drain", 0, "on SIGTERM, time between /readyz answering 503 and the closing of the listeners")
	fs.DurationVar(&c.Grace, "grace", 15*time.Second, "on SIGTERM, time for requests in progress to end")
	fs.BoolVar(&c.AccessLog, "access-log", true, "log one line for every request")
}

// Variable returns the environment variable of a flag: MONGE_SERVICE_MAX_BODY for max-body.
func Variable(flag string) string {
	return "MONGE_SERVICE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Environment sets every flag of fs whose environment variable is in environ, a list as returned by
// os.Environ. Call Environment before fs.Parse, so that flags override variables. Environment also
// returns the names of variables that begin with MONGE_SERVICE_ but set no flag. Such names are not
// an error, because Kubernetes sets MONGE_SERVICE_HOST and similar variables for a service named
// monge.
func Environment(fs *flag.FlagSet, environ []string) (unknown []string, err error) {
	flags := map[string]*flag.Flag{}
	fs.VisitAll(func(f *flag.Flag) { flags[Variable(f.Name)] = f })
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, Variable("")) {
			continue
		}
		f := flags[name]
		if f == nil {
			unknown = append(unknown, name)
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return nil, fmt.Errorf("environment variable %s, value %q: %w", name, value, err)
		}
	}
	return unknown, nil
}

// check returns an error for invalid values. Package engine checks its own configuration.
func (c *Config) check() error {
	switch {
	case c.Body < 1 || c.Body > c.Engine.Memory/2:
		return fmt.Errorf("-max-body is %d and -memory is %d: both must be positive, and the first must not exceed one half of the second", c.Body, c.Engine.Memory)
	case c.Connections < 1 || c.Streams < 1 || c.Receiving < 1:
		return fmt.Errorf("-max-connections is %d, -max-streams is %d, -max-receiving is %d: they must be positive", c.Connections, c.Streams, c.Receiving)
	case c.ReadTimeout <= 0 || c.Idle <= 0 || c.Watch < 0 || c.Drain < 0 || c.Grace < 0:
		return errors.New("-read-timeout and -idle-timeout must be positive; -watch, -drain and -grace must not be negative")
	case c.Age != 0 && c.Age < time.Millisecond: // gRPC adds a random tenth, which must not be 0
		return fmt.Errorf("-max-connection-age is %v: it must be 0 or at least 1ms", c.Age)
	}
	return nil
}

// readSecrets reads the certificate, its key and the token. If other machines can reach an address,
// readSecrets requires TLS and a token, unless Public is set.
func (c *Config) readSecrets() (conf *tls.Config, token string, err error) {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return nil, "", errors.New("-tls-cert and -tls-key go together: give both or none")
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
			return nil, "", fmt.Errorf("%s: the token has %d characters; at least 16 are needed", c.TokenFile, len(token))
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
			return nil, "", fmt.Errorf("%s can be reached by other machines: give -tls-cert, -tls-key and -token-file, or -insecure-public to allow it without", address)
		}
	}
	return conf, token, nil
}
