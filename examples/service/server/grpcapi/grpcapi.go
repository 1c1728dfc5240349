// Package grpcapi implements the service over gRPC, as described in servicepb/service.proto. The
// server also provides the standard health and reflection services.
package grpcapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"github.com/gomonge/monge/examples/service/server/request"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"github.com/gomonge/monge/wda/dataset"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Config configures New.
type Config struct {
	Token       string        // bearer token; empty means no token
	Body        int64         // maximum size of a message in bytes
	Receiving   int           // maximum number of messages received at the same time
	ReceiveTime time.Duration // time limit for receiving a message
	Streams     uint32        // maximum number of concurrent requests on one connection
	Access      *request.Log  // access log; nil means no log
	TLS         credentials.TransportCredentials
	// A connection without requests is closed after Idle. Every connection is closed after Age.
	// Requests in progress then have the time Grace to end.
	Idle, Age, Grace time.Duration
	Options          []grpc.ServerOption // additional options, such as an OpenTelemetry stats handler
}

// API answers gRPC requests.
type API struct {
	pb.UnimplementedTransformServer
	engine  *engine.Engine
	metrics *metrics.Metrics
	log     *slog.Logger
	config  Config
	health  *health.Server
	slots   chan struct{}   // one slot for each message that is being received
	end     context.Context // ends streams that would never end, such as Health.Watch
	endAll  context.CancelFunc
}

// maxHeaders is the maximum size in bytes of the headers of a request, like MaxHeaderBytes of
// net/http.
const maxHeaders = 16 << 10

// New returns a gRPC server for an engine.
func New(e *engine.Engine, m *metrics.Metrics, log *slog.Logger, config Config) (*grpc.Server, *API) {
	a := &API{engine: e, metrics: m, log: log, config: config, health: health.NewServer(), slots: make(chan struct{}, config.Receiving)}
	a.end, a.endAll = context.WithCancel(context.Background())
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(config.Body)), grpc.MaxSendMsgSize(1 << 30), grpc.MaxConcurrentStreams(config.Streams), grpc.MaxHeaderListSize(maxHeaders),
		// The server receives at most Config.Receiving messages at the same time. While a message
		// waits, the server receives at most window bytes of the message.
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(16 * window),
		grpc.ConnectionTimeout(10 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: config.Idle, MaxConnectionAge: config.Age, MaxConnectionAgeGrace: config.Grace, Time: time.Minute, Timeout: 20 * time.Second,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		grpc.InTapHandle(a.refuseUnauthorized), grpc.ForceServerCodecV2(codec{encoding.GetCodecV2(proto.Name)}),
	}
	if config.TLS != nil {
		options = append(options, grpc.Creds(config.TLS))
	}
	s := grpc.NewServer(append(options, config.Options...)...)
	r := registrar{s, a}
	pb.RegisterTransformServer(r, a)
	healthpb.RegisterHealthServer(r, a.health)
	reflection.Register(r)
	return s, a
}

// Drain makes the health service report NOT_SERVING, so that load balancers stop sending requests.
func (a *API) Drain() { a.health.Shutdown() }

// EndStreams ends streams that would never end, such as Health.Watch, so that GracefulStop does not
// wait for them.
func (a *API) EndStreams() { a.endAll() }

// answer answers a request by calling the function work.
func (a *API) answer(ctx context.Context, op engine.Operation, work func(context.Context) error) error {
	start := time.Now()
	err := a.engine.Do(ctx, op, work)
	code := engine.Code(err)
	a.metrics.Request(op, "grpc", code, time.Since(start))
	if err == nil {
		return nil
	}
	if q := request.FromContext(ctx); q != nil {
		q.Err = err
	}
	if code == codes.Internal {
		a.log.ErrorContext(ctx, "internal error", "operation", op, "error", err)
		err = errors.New("internal error")
	}
	return statusOf(code, err)
}

// statusOf converts an error to a status error. Missing or unknown columns become field violations.
func statusOf(code codes.Code, err error) error {
	s := status.New(code, err.Error())
	ce, ok := errors.AsType[*dataset.ColumnsError](err)
	if !ok {
		return s.Err()
	}
	bad := new(errdetails.BadRequest)
	for _, name := range engine.ClipNames(ce.Missing) {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: name, Description: "missing"})
	}
	for _, name := range engine.ClipNames(ce.Extra) {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: name, Description: "unknown"})
	}
	if detailed, err := s.WithDetails(bad); err == nil {
		s = detailed
	}
	return s.Err()
}

// samplesOf returns the samples of a request as a matrix. The request holds either rows of numbers
// or named samples. single is true if the numbers are float32.
func (a *API) samplesOf(ctx context.Context, r *pb.Rows, named []*structpb.Struct) (m engine.Matrix, single bool, err error) {
	if len(named) == 0 {
		return matrixOf(ctx, r)
	}
	if r != nil {
		return m, false, fmt.Errorf("%w: the request has both rows and samples; use one of them", engine.ErrMalformed)
	}
	table, err := a.engine.NewTable(ctx, &m, len(named))
	if err != nil {
		return m, false, err
	}
	for i, s := range named {
		var wrong error
		err := table.Add(func(yield func(string, []byte) bool) {
			for name, v := range s.GetFields() {
				text, err := json.Marshal(v.AsInterface())
				if err != nil { // NaN
					wrong = fmt.Errorf("%w: row %d: %s: %w", engine.ErrMalformed, i, engine.Clip(name), err)
					return
				}
				if !yield(name, text) {
					return
				}
			}
		})
		if err = cmp.Or(wrong, err); err != nil {
			return m, false, err
		}
	}
	return m, false, nil
}

// matrixOf returns the matrix of a message, and whether its numbers are float32.
func matrixOf(ctx context.Context, r *pb.Rows) (m engine.Matrix, single bool, err error) {
	if len(r.GetFloat64()) > 0 && len(r.GetFloat32()) > 0 {
		return m, false, fmt.Errorf("%w: rows have values in both float64 and float32; use one of them", engine.ErrMalformed)
	}
	m.Columns, m.Data = int(r.GetColumns()), r.GetFloat64()
	if single = len(r.GetFloat32()) > 0; single {
		if err := budget.Take(ctx, 8*int64(len(r.GetFloat32()))); err != nil {
			return m, false, err
		}
		m.Data = make([]float64, len(r.GetFloat32()))
		for i, v := range r.GetFloat32() {
			m.Data[i] = float64(v)
		}
	}
	return m, single, nil
}

// messageOf converts a matrix to a message. It is the inverse of matrixOf.
func messageOf(m *engine.Matrix, single bool) *pb.Rows {
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
	err := a.answer(ctx, engine.Project, func(ctx context.Context) error {
		x, single, err := a.samplesOf(ctx, in.GetRows(), in.GetSamples())
		if err != nil {
			return err
		}
		var y engine.Projected
		if err := a.engine.Project(ctx, &x, &y); err != nil {
			return err
		}
		out = &pb.ProjectResponse{Model: y.Model, Rows: messageOf(&y.Matrix, single)}
		return nil
	})
	return out, err
}

// largestKept is the largest capacity of Classified.Shares in an answer that is kept for reuse.
const largestKept = 1 << 17

// answers holds reusable answers for Classify.
var answers = sync.Pool{New: func() any { return new(engine.Classified) }}

// Classify implements the service.
func (a *API) Classify(ctx context.Context, in *pb.ClassifyRequest) (*pb.ClassifyResponse, error) {
	var out *pb.ClassifyResponse
	err := a.answer(ctx, engine.Classify, func(ctx context.Context) error {
		x, _, err := a.samplesOf(ctx, in.GetRows(), in.GetSamples())
		if err != nil {
			return err
		}
		y := answers.Get().(*engine.Classified)
		defer func() {
			if cap(y.Shares) <= largestKept {
				answers.Put(y)
			}
		}()
		if err := a.engine.Classify(ctx, &x, y); err != nil {
			return err
		}
		n := len(y.Classes)
		if err := budget.Take(ctx, int64(len(y.Rows))*(8*int64(n)+messageBytes)); err != nil { // memory for the float32 probabilities in the message and in its encoding
			return err
		}
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
	err := a.answer(ctx, engine.Transport, func(ctx context.Context) error {
		x, single, err := matrixOf(ctx, in.GetX())
		if err != nil {
			return err
		}
		y, _, err := matrixOf(ctx, in.GetY())
		if err != nil {
			return err
		}
		var s engine.Solution
		p := engine.Problem{X: x, Y: y, A: in.GetA(), B: in.GetB(), Lambda: in.GetLambda(), Plan: in.GetPlan(), Exact: in.GetExact()}
		if err := a.engine.Transport(ctx, &p, &s); err != nil {
			return err
		}
		out = &pb.TransportResponse{Cost: s.Cost, Gap: s.Gap, MarginalError: s.MarginalError, Iterations: uint32(s.Iterations), Status: s.Status}
		if p.Plan {
			out.Plan = messageOf(&s.Plan, single)
		}
		return nil
	})
	return out, err
}

// GetModel implements the service.
func (a *API) GetModel(context.Context, *pb.GetModelRequest) (*pb.GetModelResponse, error) {
	i := a.engine.Info()
	return &pb.GetModelResponse{Model: i.Hash, Features: uint32(i.Features), Components: uint32(i.Components), Classes: i.Classes, Columns: i.Columns}, nil
}
