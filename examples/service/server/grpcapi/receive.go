package grpcapi

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gomonge/monge/examples/service/internal/guard"
	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/httpapi"
	"github.com/gomonge/monge/examples/service/server/request"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/proto"
)

// A request is received in the following steps, which limit the memory that the request can use:
//
//   - refuseUnauthorized sees the headers. It refuses a stream without the token, and gRPC drops
//     the data of the stream.
//   - serveStream runs in the goroutine of the request and counts the request. At this point, at
//     most window bytes of the message have been received: HTTP/2's flow control stops the client.
//   - RecvMsg waits for a slot and then reads the message, which has at most Config.Body bytes. A
//     connection has at most half of the slots. Waiting and reading must not take longer than
//     Config.ReceiveTime.
//   - Before the message is decoded, its encoded size and an upper bound of its decoded size are
//     taken from the memory budget of all requests (see codec). The memory goes back to the budget
//     when the request has been answered.
//
// gRPC may read the message of a unary method before it calls any interceptor. Therefore all
// methods are registered as streams of one message. Clients do not see a difference.

// window is the number of bytes of a stream that are received before its message is read.
const window = 64 << 10

// registrar registers all methods of a service as streams, which are handled by serveStream.
type registrar struct {
	*grpc.Server
	api *API
}

// RegisterService implements grpc.ServiceRegistrar.
func (r registrar) RegisterService(service *grpc.ServiceDesc, impl any) {
	s := *service
	s.Methods, s.Streams = nil, nil
	for _, m := range service.Methods {
		name := "/" + s.ServiceName + "/" + m.MethodName
		answer := func(srv any, in *stream) error {
			out, err := m.Handler(srv, in.ctx, in.RecvMsg, nil)
			if err != nil {
				return err
			}
			return in.SendMsg(out)
		}
		if name == healthCheck {
			answer = r.api.answerHealthCheck
		}
		s.Streams = append(s.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: func(srv any, in grpc.ServerStream) error {
			return r.api.serveStream(name, in, func(in *stream) error { return answer(srv, in) })
		}})
	}
	for _, d := range service.Streams {
		name, handler := "/"+s.ServiceName+"/"+d.StreamName, d.Handler
		d.Handler = func(srv any, in grpc.ServerStream) error {
			c := in.Context().Value(callKey{}).(*call)
			defer context.AfterFunc(r.api.end, func() { c.cancel(nil) })()
			return r.api.serveStream(name, in, func(in *stream) error { return handler(srv, in) })
		}
		s.Streams = append(s.Streams, d)
	}
	r.Server.RegisterService(&s, impl)
}

// healthCheck is the only method that needs no token.
const healthCheck = healthpb.Health_Check_FullMethodName

// answerHealthCheck implements the method Check of the health service without reading the message.
// It reports the health of the whole server and ignores the service name in the message. Therefore
// a client without the token cannot make the server receive a message.
func (a *API) answerHealthCheck(_ any, in *stream) error {
	out, err := a.health.Check(in.ctx, new(healthpb.HealthCheckRequest))
	if err != nil {
		return err
	}
	return in.SendMsg(out)
}

// call is the context of a request, created by refuseUnauthorized. Canceling a call stops the
// receipt of the message. Then gRPC answers with the error that Err returns.
type call struct {
	context.Context
	cancel context.CancelCauseFunc
}

type callKey struct{}

// Value implements context.Context.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Err implements context.Context.
func (c *call) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == engine.ErrSlow {
		return context.DeadlineExceeded
	}
	return err
}

// refuseUnauthorized refuses requests without the token before their messages are stored. It runs in the goroutine
// that reads from the connection.
func (a *API) refuseUnauthorized(ctx context.Context, info *tap.Info) (context.Context, error) {
	if info.FullMethodName != healthCheck && !a.authorized(info.Header) {
		a.metrics.Refused(operationOf(info.FullMethodName), "grpc", codes.Unauthenticated)
		return ctx, status.Error(codes.Unauthenticated, engine.ErrToken.Error())
	}
	c := new(call)
	c.Context, c.cancel = context.WithCancelCause(ctx)
	return c, nil
}

func (a *API) authorized(headers metadata.MD) bool {
	if a.config.Token == "" {
		return true
	}
	for _, h := range headers.Get("authorization") {
		if httpapi.TokenMatches(h, a.config.Token) {
			return true
		}
	}
	return false
}

// operationOf returns the operation of a full method name.
func operationOf(method string) engine.Operation {
	switch method[strings.LastIndexByte(method, '/')+1:] {
	case "Project":
		return engine.Project
	case "Classify":
		return engine.Classify
	case "Transport":
		return engine.Transport
	}
	return engine.Other
}

// serveStream gives a request its ID, counts it, and logs its end. It turns a panic outside of the
// engine into an error, because gRPC would let the panic end the process.
func (a *API) serveStream(method string, s grpc.ServerStream, answer func(*stream) error) (err error) {
	ctx := s.Context()
	defer ctx.Value(callKey{}).(*call).cancel(nil)
	headers, _ := metadata.FromIncomingContext(ctx)
	q := request.New(firstHeader(headers, "x-request-id"), firstHeader(headers, "traceparent"), firstHeader(headers, "tracestate"))
	ctx = request.NewContext(ctx, q)
	s.SetHeader(metadata.Pairs("x-request-id", q.ID))
	p, _ := peer.FromContext(ctx)
	defer func() {
		if v := recover(); v != nil {
			a.log.ErrorContext(ctx, "panic", "method", method, "panic", v, "stack", string(debug.Stack()))
			err = status.Error(codes.Internal, "internal error")
		}
		if q.Err == nil {
			q.Err = err
		}
		if status.Code(err) == codes.Unavailable { // the retry delay for gRPC clients, in ms
			s.SetTrailer(metadata.Pairs("grpc-retry-pushback-ms", "1000"))
		}
		level, remote := slog.LevelInfo, ""
		if p != nil {
			remote = p.Addr.String()
		}
		if method == healthCheck {
			level = slog.LevelDebug
		}
		a.config.Access.Ended(ctx, level, slog.String("protocol", "grpc"), slog.String("method", method),
			slog.String("code", status.Code(err).String()), slog.String("remote", remote))
	}()
	if method == healthCheck {
		return answer(&stream{ServerStream: s, ctx: ctx})
	}
	if err := a.engine.Enter(); err != nil {
		return a.countRefusal(method, err)
	}
	defer a.engine.Leave()
	var conn *guard.Conn
	if p != nil {
		conn = guard.Of(p.Addr)
	}
	conn.Begin()
	defer conn.End()
	share := a.engine.Share()
	defer share.Release()
	return answer(&stream{ServerStream: s, ctx: budget.NewContext(ctx, share), conn: conn, api: a, method: method, share: share})
}

func firstHeader(headers metadata.MD, name string) string {
	if v := headers.Get(name); len(v) > 0 {
		return v[0]
	}
	return ""
}

// countRefusal counts a request that is refused before it is read, and returns its error.
func (a *API) countRefusal(method string, err error) error {
	code := engine.Code(err)
	a.metrics.Refused(operationOf(method), "grpc", code)
	return status.Error(code, err.Error())
}

// stream wraps the grpc.ServerStream of a request.
type stream struct {
	grpc.ServerStream
	ctx    context.Context
	conn   *guard.Conn
	api    *API
	method string
	share  *budget.Share
}

// Context implements grpc.ServerStream.
func (s *stream) Context() context.Context { return s.ctx }

// RecvMsg implements grpc.ServerStream. It limits the memory that messages use.
func (s *stream) RecvMsg(m any) error {
	a := s.api
	c := s.ctx.Value(callKey{}).(*call)
	timer := time.AfterFunc(a.config.ReceiveTime, func() { c.cancel(engine.ErrSlow) })
	defer timer.Stop()
	if err := s.conn.Slot(s.ctx); err != nil {
		return s.waitError(err)
	}
	defer s.conn.FreeSlot()
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-s.ctx.Done():
		return s.waitError(context.Cause(s.ctx))
	}
	in := &received{message: m.(proto.Message), share: s.share, rows: a.engine.MaxRows()}
	if err := s.ServerStream.RecvMsg(in); err != nil {
		if errors.Is(context.Cause(s.ctx), engine.ErrSlow) {
			request.FromContext(s.ctx).Err = engine.ErrSlow
		}
		a.metrics.Refused(operationOf(s.method), "grpc", status.Code(err))
		return err // gRPC has already answered
	}
	if in.refused != nil {
		return a.countRefusal(s.method, in.refused)
	}
	return nil
}

// waitError returns the error of a request that did not get a slot in time.
func (s *stream) waitError(err error) error {
	if errors.Is(err, engine.ErrSlow) { // the request waited because other clients were slow
		err = engine.ErrRequests
	}
	return s.api.countRefusal(s.method, err)
}
