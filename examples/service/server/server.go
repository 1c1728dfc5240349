// Package server combines the engine, its protocols and its listeners into a service.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gomonge/monge/examples/service/internal/guard"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/grpcapi"
	"github.com/gomonge/monge/examples/service/server/httpapi"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"github.com/gomonge/monge/examples/service/server/request"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Server is a service with open listeners. Call Run to answer requests.
type Server struct {
	config Config
	log    *slog.Logger
	seen   os.FileInfo // file information of the model file at the last check
	api    *httpapi.API
	rpc    *grpcapi.API // nil if gRPC is off
	http   []*http.Server
	grpc   *grpc.Server
	// listeners contains the listeners of the servers in http, in the same order, and then the gRPC
	// listener.
	listeners []*guard.Listener
}

// New reads the model and opens the listeners. Call Run to answer requests.
func New(config Config, log *slog.Logger, m *metrics.Metrics) (_ *Server, err error) {
	conf, token, err := config.readSecrets()
	if err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	if config.Middleware == nil {
		config.Middleware = func(h http.Handler) http.Handler { return h }
	}
	log = slog.New(request.Handler(log.Handler()))
	var access *request.Log
	if config.AccessLog {
		access = &request.Log{Logger: log}
	}
	seen, _ := os.Stat(config.Engine.Model) // before reading it
	e, err := engine.New(config.Engine, log)
	if err != nil {
		return nil, err
	}
	m.Watch(e)
	s := &Server{config: config, log: log, seen: seen}
	s.api = httpapi.New(e, m, log, httpapi.Config{Token: token, Body: config.Body, Access: access, Age: config.Age})
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	for _, l := range []struct {
		name, address string
		handler       http.Handler
		write         time.Duration // time limit for an answer
	}{
		{"http", config.HTTP, config.Middleware(s.api.Handler()), 2*config.ReadTimeout + config.Engine.Limits.Timeout},
		{"admin", config.Admin, s.api.Admin(), 5 * time.Minute}, // long enough for a profile; the request sets the duration of the profile
	} {
		if l.address == "" {
			continue
		}
		if err := s.listen(l.name, l.address, m); err != nil {
			return nil, err
		}
		s.http = append(s.http, &http.Server{
			Handler: l.handler, TLSConfig: conf.Clone(), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
			ReadHeaderTimeout: config.ReadTimeout, ReadTimeout: config.ReadTimeout, IdleTimeout: config.Idle,
			WriteTimeout: l.write, MaxHeaderBytes: 16 << 10, ConnContext: guard.NewContext,
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: config.Streams, MaxReceiveBufferPerStream: 64 << 10, SendPingTimeout: time.Minute, PingTimeout: 20 * time.Second},
		})
	}
	if config.GRPC != "" {
		if err := s.listen("grpc", config.GRPC, m); err != nil {
			return nil, err
		}
		g := grpcapi.Config{
			Token: token, Body: config.Body, Receiving: config.Receiving, ReceiveTime: config.ReadTimeout, Streams: uint32(config.Streams),
			Access: access, Idle: config.Idle, Age: config.Age, Grace: config.Grace, Options: config.GRPCOptions,
		}
		if conf != nil {
			g.TLS = credentials.NewTLS(conf)
		}
		s.grpc, s.rpc = grpcapi.New(e, m, log, g)
	}
	return s, nil
}

// listen opens and adds a listener.
func (s *Server) listen(name, address string, m *metrics.Metrics) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	g := guard.Listen(l, s.config.Connections, max(1, s.config.Receiving/2), m.Evicted)
	m.Gauge("monge_connections", "Open connections.", map[string]string{"listener": name}, g.Open)
	s.listeners = append(s.listeners, g)
	return nil
}

func (s *Server) close() {
	for _, l := range s.listeners {
		l.Close()
	}
}

// Addresses returns the addresses of the open listeners in the order HTTP, admin, gRPC.
func (s *Server) Addresses() (out []net.Addr) {
	for _, l := range s.listeners {
		out = append(out, l.Addr())
	}
	return out
}

// Reload reads the model file again. Reload also logs the error that it returns.
func (s *Server) Reload(ctx context.Context) error { return s.api.Reload(ctx) }

// Run answers requests until the context ends. Then it waits for requests in progress. It returns
// the first failure, or an error if requests did not end within the grace time.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, h := range s.http {
		l := s.listeners[i]
		serve := h.Serve
		if h.TLSConfig != nil {
			serve = func(l net.Listener) error { return h.ServeTLS(l, "", "") }
		}
		wg.Go(func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
				cancel(err)
			}
		})
	}
	if s.grpc != nil {
		wg.Go(func() {
			if err := s.grpc.Serve(s.listeners[len(s.listeners)-1]); err != nil {
				cancel(err)
			}
		})
	}
	if s.config.Watch > 0 {
		go s.watchModel(ctx) // Run does not wait for this goroutine, because a stalled file system could block the goroutine
	}
	s.log.Info("listening", "addresses", fmt.Sprint(s.Addresses()))
	<-ctx.Done()
	failed := context.Cause(ctx)
	if errors.Is(failed, context.Canceled) {
		failed = nil
	}
	s.log.Info("shutting down", "drain", s.config.Drain, "grace", s.config.Grace)
	s.api.Drain()
	if s.rpc != nil {
		s.rpc.Drain()
	}
	time.Sleep(s.config.Drain) // during this time, every answer closes its connection, so that clients move to another server
	return errors.Join(failed, s.shutdown())
}

// shutdown closes the listeners, waits for requests in progress, and then closes connections.
func (s *Server) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Grace)
	defer cancel()
	var drained sync.WaitGroup
	for _, l := range s.listeners {
		drained.Go(func() { l.Drain(ctx) })
	}
	drained.Wait()
	for slices.ContainsFunc(s.listeners, (*guard.Listener).Unread) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	errs := make([]error, len(s.http)+1)
	var wg sync.WaitGroup
	for i, h := range s.http {
		wg.Go(func() {
			if errs[i] = h.Shutdown(ctx); errs[i] != nil {
				h.Close()
			}
		})
	}
	if s.grpc != nil {
		wg.Go(func() {
			ended := make(chan struct{})
			stop := context.AfterFunc(ctx, func() {
				errs[len(s.http)] = ctx.Err()
				s.grpc.Stop()
				close(ended)
			})
			s.rpc.EndStreams()
			if s.grpc.GracefulStop(); !stop() {
				<-ended
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// watchModel reloads the model whenever its file is replaced or modified.
func (s *Server) watchModel(ctx context.Context) {
	tick := time.NewTicker(s.config.Watch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := os.Stat(s.config.Engine.Model)
		if err != nil || s.seen != nil && os.SameFile(now, s.seen) && now.ModTime().Equal(s.seen.ModTime()) && now.Size() == s.seen.Size() {
			continue
		}
		s.seen = now
		s.Reload(ctx) // Reload logs its error
	}
}
