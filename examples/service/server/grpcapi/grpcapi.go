// Package grpcapi is the service over gRPC, as servicepb/service.proto says, with the
// standard health service beside it.
package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/httpapi"
	"github.com/gomonge/monge/examples/service/server/metrics"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

// Config is what New needs.
type Config struct {
	Token   string // bearer token, or empty
	Body    int64  // bytes of a message at most
	Streams uint32 // requests at a time on one connection
	TLS     credentials.TransportCredentials
}

// API answers gRPC requests.
type API struct {
	pb.UnimplementedTransformServer
	engine  *engine.Engine
	metrics *metrics.Metrics
	log     *slog.Logger
	token   string
	health  *health.Server
}

// New returns a server of the API of an engine; the API's Drain says that it wants no more.
func New(e *engine.Engine, m *metrics.Metrics, log *slog.Logger, config Config) (*grpc.Server, *API) {
	a := &API{engine: e, metrics: m, log: log, token: config.Token, health: health.NewServer()}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(config.Body)), grpc.MaxSendMsgSize(1 << 30), grpc.MaxConcurrentStreams(config.Streams),
		grpc.ConnectionTimeout(10 * time.Second), grpc.ChainUnaryInterceptor(a.recovered, a.guarded),
		grpc.ChainStreamInterceptor(func(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			if err := a.allowed(s.Context(), info.FullMethod); err != nil {
				return err
			}
			return next(srv, s)
		}),
	}
	if config.TLS != nil {
		options = append(options, grpc.Creds(config.TLS))
	}
	s := grpc.NewServer(options...)
	pb.RegisterTransformServer(s, a)
	healthpb.RegisterHealthServer(s, a.health)
	reflection.Register(s)
	return s, a
}

// Drain makes the health service say that no more requests are wanted.
func (a *API) Drain() { a.health.Shutdown() }

// recovered makes a panic outside of the engine, which catches its own, an error: grpc
// would let it end the process.
func (a *API) recovered(ctx context.Context, in any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (_ any, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error("panic", "method", info.FullMethod, "panic", p)
			err = status.Error(codes.Internal, "internal error")
		}
	}()
	return next(ctx, in)
}

// guarded asks for the token.
func (a *API) guarded(ctx context.Context, in any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := a.allowed(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, in)
}

// allowed asks for the token, except of who asks for health.
func (a *API) allowed(ctx context.Context, method string) error {
	if a.token == "" || strings.HasPrefix(method, "/grpc.health.v1.") {
		return nil
	}
	for _, h := range metadata.ValueFromIncomingContext(ctx, "authorization") {
		if httpapi.TokenMatches(h, a.token) {
			return nil
		}
	}
	return status.Error(codes.Unauthenticated, engine.ErrToken.Error())
}

// do answers a request by work.
func (a *API) do(ctx context.Context, op engine.Operation, work func(context.Context) error) error {
	start := time.Now()
	err := a.engine.Do(ctx, op, work)
	code := engine.Code(err)
	a.metrics.Request(op, "grpc", code, time.Since(start))
	if err == nil {
		return nil
	}
	if code == codes.Internal {
		a.log.Error("request", "operation", op, "error", err)
		err = errors.New("internal error")
	}
	return status.Error(code, err.Error())
}

// matrix returns rows, and whether they came in float32.
func matrix(r *pb.Rows) (m engine.Matrix, single bool, err error) {
	if len(r.GetFloat64()) > 0 && len(r.GetFloat32()) > 0 {
		return m, false, fmt.Errorf("%w: rows of both types", engine.ErrMalformed)
	}
	m.Columns, m.Data = int(r.GetColumns()), r.GetFloat64()
	if single = len(r.GetFloat32()) > 0; single {
		m.Data = make([]float64, len(r.GetFloat32()))
		for i, v := range r.GetFloat32() {
			m.Data[i] = float64(v)
		}
	}
	return m, single, nil
}

// rows is the inverse of matrix.
func rows(m *engine.Matrix, single bool) *pb.Rows {
	out := &pb.Rows{Columns: uint32(m.Columns)}
	if single {
		out.Float32 = make([]float32, len(m.Data))
		for i, v := range m.Data {
			out.Float32[i] = float32(v)
		}
	} else {
		out.Float64 = m.Data
	}
	return out
}

// Project implements the service.
func (a *API) Project(ctx context.Context, in *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	var out *pb.ProjectResponse
	err := a.do(ctx, engine.Project, func(ctx context.Context) error {
		x, single, err := matrix(in.GetRows())
		if err != nil {
			return err
		}
		var y engine.Projected
		if err := a.engine.Project(ctx, &x, &y); err != nil {
			return err
		}
		out = &pb.ProjectResponse{Model: y.Model, Rows: rows(&y.Matrix, single)}
		return nil
	})
	return out, err
}

// answers are lent to Classify.
var answers = sync.Pool{New: func() any { return new(engine.Classified) }}

// Classify implements the service.
func (a *API) Classify(ctx context.Context, in *pb.ClassifyRequest) (*pb.ClassifyResponse, error) {
	var out *pb.ClassifyResponse
	err := a.do(ctx, engine.Classify, func(ctx context.Context) error {
		x, _, err := matrix(in.GetRows())
		if err != nil {
			return err
		}
		y := answers.Get().(*engine.Classified)
		defer answers.Put(y)
		if err := a.engine.Classify(ctx, &x, y); err != nil {
			return err
		}
		n := len(y.Classes)
		shares := make([]float32, len(y.Shares))
		for i, v := range y.Shares {
			shares[i] = float32(v)
		}
		out = &pb.ClassifyResponse{Model: y.Model, Classes: y.Classes}
		for i, r := range y.Rows {
			out.Results = append(out.Results, &pb.Classification{Class: r.Name, Rejected: r.Rejected, SqDistance: r.SqDistance, Probabilities: shares[i*n:][:n]})
		}
		a.metrics.Classified(y)
		return nil
	})
	return out, err
}

// Transport implements the service.
func (a *API) Transport(ctx context.Context, in *pb.TransportRequest) (*pb.TransportResponse, error) {
	var out *pb.TransportResponse
	err := a.do(ctx, engine.Transport, func(ctx context.Context) error {
		x, single, err := matrix(in.GetX())
		if err != nil {
			return err
		}
		y, _, err := matrix(in.GetY())
		if err != nil {
			return err
		}
		var s engine.Solution
		p := engine.Problem{X: x, Y: y, A: in.GetA(), B: in.GetB(), Lambda: in.GetLambda(), Plan: in.GetPlan()}
		if err := a.engine.Transport(ctx, &p, &s); err != nil {
			return err
		}
		out = &pb.TransportResponse{Cost: s.Cost, MarginalError: s.MarginalError, Iterations: uint32(s.Iterations), Status: s.Status}
		if p.Plan {
			out.Plan = rows(&s.Plan, single)
		}
		return nil
	})
	return out, err
}

// GetModel implements the service.
func (a *API) GetModel(context.Context, *pb.GetModelRequest) (*pb.GetModelResponse, error) {
	i := a.engine.Info()
	return &pb.GetModelResponse{Model: i.Hash, Features: uint32(i.Features), Components: uint32(i.Components), Classes: i.Classes}, nil
}
