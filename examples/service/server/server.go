// Package server makes one service of the engine, its protocols and its listeners.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/grpcapi"
	"github.com/gomonge/monge/examples/service/server/httpapi"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Server is a service that listens.
type Server struct {
	config Config
	log    *slog.Logger
	seen   os.FileInfo // the model file when it was looked at last
	api    *httpapi.API
	drain  func() // of gRPC
	http   []*http.Server
	grpc   *grpc.Server
	// listeners are those of http, in order, and that of grpc.
	listeners []net.Listener
}

// New reads the model and listens; Run answers.
func New(config Config, log *slog.Logger, m *metrics.Metrics) (_ *Server, err error) {
	conf, token, err := config.secrets()
	if err != nil {
		return nil, err
	}
	if config.Body < 1 || config.Body > config.Bodies || config.Connections < 1 {
		return nil, fmt.Errorf("bodies of %d bytes, of %d in all, on %d connections", config.Body, config.Bodies, config.Connections)
	}
	seen, _ := os.Stat(config.Engine.Model) // before it is read
	e, err := engine.New(config.Engine, log)
	if err != nil {
		return nil, err
	}
	m.Watch(e)
	s := &Server{config: config, log: log, seen: seen, drain: func() {}}
	s.api = httpapi.New(e, m, log, httpapi.Config{Token: token, Body: config.Body, Bodies: config.Bodies})
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	for _, l := range []struct {
		address string
		handler http.Handler
	}{{config.HTTP, s.api.Handler()}, {config.Admin, s.api.Admin()}} {
		if l.address == "" {
			continue
		}
		if err := s.listen(l.address); err != nil {
			return nil, err
		}
		s.http = append(s.http, &http.Server{
			Handler: l.handler, TLSConfig: conf.Clone(), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
			ReadHeaderTimeout: config.ReadTimeout, ReadTimeout: config.ReadTimeout, IdleTimeout: 2 * time.Minute,
			WriteTimeout: 2*config.ReadTimeout + config.Engine.Limits.Timeout, MaxHeaderBytes: 16 << 10,
		})
	}
	if config.GRPC != "" {
		if err := s.listen(config.GRPC); err != nil {
			return nil, err
		}
		g := grpcapi.Config{Token: token, Body: config.Body, Streams: 256}
		if conf != nil {
			g.TLS = credentials.NewTLS(conf)
		}
		var a *grpcapi.API
		s.grpc, a = grpcapi.New(e, m, log, g)
		s.drain = a.Drain
	}
	return s, nil
}

// listen adds a listener.
func (s *Server) listen(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, netutil.LimitListener(l, s.config.Connections))
	return nil
}

// close closes the listeners.
func (s *Server) close() {
	for _, l := range s.listeners {
		l.Close()
	}
}

// Addresses returns those of the listeners: HTTP, admin and gRPC, as far as there are any.
func (s *Server) Addresses() (out []net.Addr) {
	for _, l := range s.listeners {
		out = append(out, l.Addr())
	}
	return out
}

// Reload reads the model file again. Its error has been logged.
func (s *Server) Reload() error { return s.api.Reload() }

// Run answers until the context ends, then lets requests in flight end. Its error says
// what failed, or that they did not end in time.
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
		wg.Go(func() { s.watch(ctx) })
	}
	s.log.Info("listening", "addresses", fmt.Sprint(s.Addresses()))
	<-ctx.Done()
	failed := context.Cause(ctx)
	if errors.Is(failed, context.Canceled) {
		failed = nil
	}
	s.log.Info("shutting down", "drain", s.config.Drain, "grace", s.config.Grace)
	s.api.Drain()
	s.drain()
	time.Sleep(s.config.Drain)
	return errors.Join(failed, s.shutdown())
}

// shutdown closes the listeners, and what does not end in time.
func (s *Server) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Grace)
	defer cancel()
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
			if s.grpc.GracefulStop(); !stop() {
				<-ended
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// watch reloads the model when its file is another.
func (s *Server) watch(ctx context.Context) {
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
		s.Reload() // says what is wrong
	}
}
