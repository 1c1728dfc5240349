package grpcapi

import (
	"context"
	"log/slog"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/metrics"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

func newClient(t *testing.T, token string, change func(*engine.Config)) (*API, *grpc.ClientConn) {
	t.Helper()
	c := engine.DefaultConfig()
	c.Model = fixture.Model(t, 1)
	if change != nil {
		change(&c)
	}
	log := slog.New(slog.DiscardHandler)
	e, err := engine.New(c, log)
	if err != nil {
		t.Fatal(err)
	}
	s, a := New(e, metrics.New(), log, Config{Token: token, Body: 1 << 20, Receiving: 4, ReceiveTime: time.Minute, Streams: 10})
	l := bufconn.Listen(1 << 20)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient("passthrough:", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return a, conn
}

// TestAnswers checks that answers over gRPC equal the results of the library, for float32 and
// float64.
func TestAnswers(t *testing.T) {
	_, conn := newClient(t, "", nil)
	client, c, d := pb.NewTransformClient(conn), fixture.Classifier(t, 1), fixture.Samples(5, 2)
	in64, in32 := &pb.Rows{Columns: 10, Float64: fixture.Rows(d.X)}, &pb.Rows{Columns: 10}
	for _, v := range in64.Float64 {
		in32.Float32 = append(in32.Float32, float32(v))
	}
	info, err := client.GetModel(t.Context(), new(pb.GetModelRequest))
	if err != nil || info.Model != c.Hash() || info.Features != 10 || info.Components != 2 || !slices.Equal(info.Classes, []string{"a", "b", "c"}) {
		t.Errorf("%v, %v", info, err)
	}
	classified, err := client.Classify(t.Context(), &pb.ClassifyRequest{Rows: in64})
	if err != nil || classified.Model != c.Hash() || len(classified.Results) != 5 {
		t.Fatalf("%v, %v", classified, err)
	}
	projected, err := client.Project(t.Context(), &pb.ProjectRequest{Rows: in64})
	if err != nil || projected.Rows.Columns != 2 || len(projected.Rows.Float64) != 10 {
		t.Fatalf("%v, %v", projected, err)
	}
	projected32, err := client.Project(t.Context(), &pb.ProjectRequest{Rows: in32})
	if err != nil || len(projected32.Rows.Float32) != 10 {
		t.Fatalf("%v, %v", projected32, err)
	}
	y, y32, shares, w := make([]float64, 2), make([]float32, 2), make([]float64, 3), new(wda.Workspace)
	for i, r := range classified.Results {
		row := d.X.RawRowView(i)
		class, _ := c.Predict(row, w)
		w.Shares(shares)
		c.Model().TransformVec(y, row)
		c.Model().Transform32(dist.NewMatrix(1, len(y32), y32), dist.NewMatrix(1, 10, in32.Float32[10*i:][:10]))
		if r.Class != class.Name || r.Rejected || r.SqDistance != class.SqDistance || !slices.Equal(projected.Rows.Float64[2*i:][:2], y) || !slices.Equal(projected32.Rows.Float32[2*i:][:2], y32) {
			t.Errorf("row %d: %v, %v, %v", i, r, projected.Rows.Float64[2*i:], projected32.Rows.Float32[2*i:])
		}
		for j, v := range shares {
			if r.Probabilities[j] != float32(v) {
				t.Errorf("row %d: %v, want %v", i, r.Probabilities, shares)
			}
		}
	}
	p, err := client.Transport(t.Context(), &pb.TransportRequest{X: &pb.Rows{Columns: 1, Float64: []float64{0, 1}}, Y: &pb.Rows{Columns: 1, Float64: []float64{2}}, Lambda: 1, Plan: true})
	if err != nil || p.Status != "converged" || p.Cost != 2.5 || !slices.Equal(p.Plan.Float64, []float64{0.5, 0.5}) {
		t.Errorf("%v, %v", p, err)
	}
}

// TestExact checks problems without entropic regularization. The answer must contain an optimality
// gap, a problem with λ must be refused, and the solver must stop at the deadline.
func TestExact(t *testing.T) {
	a, conn := newClient(t, "", func(c *engine.Config) {
		c.Limits.Pairs, c.Limits.Timeout, c.Solvers.Number = 1<<24, 300*time.Millisecond, 1
	})
	client := pb.NewTransformClient(conn)
	p := &pb.TransportRequest{X: &pb.Rows{Columns: 1, Float32: []float32{0, 1}}, Y: &pb.Rows{Columns: 1, Float32: []float32{1.5, 0.5}}, Plan: true, Exact: true}
	r, err := client.Transport(t.Context(), p)
	if err != nil || r.Cost != 0.25 || r.Gap == nil || *r.Gap > 1e-15 || r.Status != "optimal" || r.Plan.Columns != 2 || !slices.Equal(r.Plan.Float32, []float32{0, 0.5, 0.5, 0}) {
		t.Errorf("%v, %v", r, err)
	}
	p.Lambda = 2
	if _, err := client.Transport(t.Context(), p); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "lambda is 2; with exact it must be absent or 0") {
		t.Error(err)
	}
	p.Exact = false
	if r, err := client.Transport(t.Context(), p); err != nil || r.Gap != nil {
		t.Errorf("with entropy: %v, %v", r, err)
	}
	cloud := func(seed uint64) *pb.Rows {
		return &pb.Rows{Columns: 10, Float64: fixture.Rows(fixture.Samples(4000, seed).X)}
	}
	if _, err := client.Transport(t.Context(), &pb.TransportRequest{X: cloud(1), Y: cloud(2), Exact: true}); status.Code(err) != codes.DeadlineExceeded || a.engine.QueueOf(engine.Transport).Busy() != 0 {
		t.Errorf("a problem that takes some seconds: %v", err)
	}
}

// TestFaults checks the error text and code of every kind of bad request.
func TestFaults(t *testing.T) {
	a, conn := newClient(t, "", func(c *engine.Config) {
		c.Solvers.Number, c.TransportQueue, c.Solvers.Tolerance, c.Solvers.MaxIterations = 1, 0, 1e-300, 1e9
	})
	client := pb.NewTransformClient(conn)
	classify := func(r *pb.Rows) error {
		_, err := client.Classify(t.Context(), &pb.ClassifyRequest{Rows: r})
		return err
	}
	endless := &pb.TransportRequest{X: &pb.Rows{Columns: 10, Float64: fixture.Rows(fixture.Samples(100, 1).X)}, Y: &pb.Rows{Columns: 10, Float64: fixture.Rows(fixture.Samples(90, 2).X)}, Lambda: 1}
	late, cancelLate := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancelLate()
	_, deadline := client.Transport(late, endless)
	canceled, q := make(chan error), a.engine.QueueOf(engine.Transport)
	fixture.Until(t, func() bool { return q.Busy() == 0 }) // the client may get the answer before the slot is free
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := client.Transport(ctx, endless)
		canceled <- err
	}()
	fixture.Until(t, func() bool { return q.Busy() > 0 })
	var pushback metadata.MD
	_, busy := client.Transport(t.Context(), endless, grpc.Trailer(&pushback))
	if v := pushback.Get("grpc-retry-pushback-ms"); len(v) != 1 || v[0] != "1000" {
		t.Errorf("a busy service says %q", v)
	}
	cancel()
	for name, c := range map[string]struct {
		err  error
		code codes.Code
		says string
	}{
		"none":      {classify(nil), codes.InvalidArgument, "no rows"},
		"both":      {classify(&pb.Rows{Columns: 10, Float64: make([]float64, 10), Float32: make([]float32, 10)}), codes.InvalidArgument, "in both float64 and float32"},
		"NaN":       {classify(&pb.Rows{Columns: 10, Float32: slices.Repeat([]float32{float32(math.NaN())}, 10)}), codes.InvalidArgument, "row 0, column 0 is NaN"},
		"columns":   {classify(&pb.Rows{Columns: 1e5, Float64: make([]float64, 1e5)}), codes.InvalidArgument, "100000 features"},
		"a million": {classify(&pb.Rows{Columns: 1e6, Float64: make([]float64, 1e6)}), codes.ResourceExhausted, "larger than max"},
		"deadline":  {deadline, codes.DeadlineExceeded, ""},
		"canceled":  {<-canceled, codes.Canceled, ""},
		"busy":      {busy, codes.Unavailable, "queue is full"},
	} {
		if status.Code(c.err) != c.code || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", name, c.err, c.code, c.says)
		}
	}
	fixture.Until(t, func() bool { return q.Busy() == 0 })
}

// TestNames checks that named samples get the same answers as their features, and that missing or
// unknown columns are reported as field violations.
func TestNames(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	_, conn := newClient(t, "", func(c *engine.Config) { c.Model = table.Model })
	client := pb.NewTransformClient(conn)
	sample := func(values map[string]any) *structpb.Struct {
		s, err := structpb.NewStruct(values)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	good := []*structpb.Struct{sample(map[string]any{"age": 3, "city": "Bern", "height": 2.5}), sample(map[string]any{"age": 10, "city": "Basel", "height": nil})}
	x := table.Features(t, "3", "Bern", "2.5")
	rows := &pb.Rows{Columns: uint32(len(x)), Float64: slices.Concat(x, table.Features(t, "10", "Basel", ""))}
	got, err := client.Classify(t.Context(), &pb.ClassifyRequest{Samples: good})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := client.Classify(t.Context(), &pb.ClassifyRequest{Rows: rows}); err != nil || !proto.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	projected, err := client.Project(t.Context(), &pb.ProjectRequest{Samples: good})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := client.Project(t.Context(), &pb.ProjectRequest{Rows: rows}); err != nil || !proto.Equal(projected, want) {
		t.Errorf("%v, want %v, %v", projected, want, err)
	}
	m, err := client.GetModel(t.Context(), new(pb.GetModelRequest))
	if err != nil || !slices.Equal(m.Columns, []string{"age", "city", "height"}) {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := client.Classify(t.Context(), &pb.ClassifyRequest{Rows: rows, Samples: good}); status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if _, err := client.Classify(t.Context(), &pb.ClassifyRequest{Samples: []*structpb.Struct{sample(map[string]any{"age": math.NaN()})}}); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "row 0") {
		t.Error(err)
	}
	_, err = client.Classify(t.Context(), &pb.ClassifyRequest{Samples: []*structpb.Struct{good[0], sample(map[string]any{"age": 3, "city": "Bern", "more": 1})}})
	details := status.Convert(err).Details()
	if status.Code(err) != codes.InvalidArgument || len(details) != 1 {
		t.Fatalf("%v, %v", err, details)
	}
	bad, _ := details[0].(*errdetails.BadRequest)
	if v := bad.GetFieldViolations(); len(v) != 2 || v[0].Field != "height" || v[0].Description != "missing" || v[1].Field != "more" || v[1].Description != "unknown" {
		t.Errorf("%v", bad)
	}
}

// TestToken checks that only the health check is available without the token.
func TestToken(t *testing.T) {
	a, conn := newClient(t, "0123456789abcdef", nil)
	client := pb.NewTransformClient(conn)
	with := func(h string) context.Context {
		return metadata.AppendToOutgoingContext(t.Context(), "authorization", h)
	}
	for _, c := range []struct {
		ctx  context.Context
		code codes.Code
	}{{t.Context(), codes.Unauthenticated}, {with("Bearer nonsense"), codes.Unauthenticated}, {with("Bearer 0123456789abcdef"), codes.OK}, {with("bearer 0123456789abcdef"), codes.OK}} {
		if _, err := client.GetModel(c.ctx, new(pb.GetModelRequest)); status.Code(err) != c.code {
			t.Errorf("%v, want %v", err, c.code)
		}
	}
	health := healthpb.NewHealthClient(conn)
	if w, err := health.Watch(t.Context(), new(healthpb.HealthCheckRequest)); err == nil {
		if _, err := w.Recv(); status.Code(err) != codes.Unauthenticated {
			t.Errorf("health is watched: %v", err)
		}
	}
	for _, want := range []healthpb.HealthCheckResponse_ServingStatus{healthpb.HealthCheckResponse_SERVING, healthpb.HealthCheckResponse_NOT_SERVING} {
		if r, err := health.Check(t.Context(), new(healthpb.HealthCheckRequest)); err != nil || r.Status != want {
			t.Errorf("%v, %v, want %v", r, err, want)
		}
		a.Drain()
	}
}
