package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"github.com/gomonge/monge/wda/dataset"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// peak returns the largest growth of the heap in bytes, including garbage, while f runs.
func peak(f func()) int64 {
	before, most := int64(heap()), int64(0)
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, int64(m.HeapAlloc)-before)
		select {
		case <-ended:
			return most
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// amplifyingBodies returns bodies of at most 8 MB that would become much larger if a careless decoder
// decoded them.
func amplifyingBodies() map[string]string {
	long, many := strings.Repeat("x", 400_000), 400_000
	var keys strings.Builder
	for i := range many {
		fmt.Fprintf(&keys, `,"unknown key %d":1`, i)
	}
	rows := func(row string, n int) string { return "[" + strings.Repeat(row+",", n-1) + row + "]" }
	names := `"age","city","height"`
	return map[string]string{
		"a long name":            `{"columns":[` + names + `,"` + long + `"],"rows":` + rows(`[1,"Bern",2,0]`, 4096) + `}`,
		"many names":             `{"columns":[` + names + strings.Repeat(`,"a"`, many) + `],"rows":` + rows(`[1,"Bern",2,0]`, 4096) + `}`,
		"many rows":              `{"rows":` + rows(`{}`, 2_000_000) + `}`,
		"many empty arrays":      `{"columns":[` + names + `],"rows":` + rows(`[]`, 2_000_000) + `}`,
		"many unknown keys":      `{"rows":[{"age":1` + keys.String() + `}]}`,
		"one key many times":     `{"rows":[{"age":1` + strings.Repeat(`,"age":1`, many) + `}]}`,
		"arrays in a value":      `{"rows":[{"age":` + rows(`[]`, 2_000_000) + `,"city":"Bern","height":1}]}`,
		"arrays left out":        `{"rows":[{"age":1,"id":` + rows(`[]`, 2_000_000) + `,"city":"Paris","height":1}]}`,
		"many numbers":           `{"rows":[[` + strings.Repeat(`0,`, 3_900_000) + `0]]}`,
		"numbers with names":     `{"columns":[` + names + `],"rows":[[` + strings.Repeat(`0,`, 3_900_000) + `0]]}`,
		"many fields":            `{"rows":[[1]]` + keys.String() + `}`,
		"points of no dimension": `{"x":` + rows(`[]`, 2_000_000) + `,"y":[[1]],"lambda":1}`,
	}
}

// TestAmplifiedJSON checks that no body makes the process grow by more than 256 MB, and that every
// error message is short.
func TestAmplifiedJSON(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	for _, extra := range []bool{false, true} {
		c := config(t)
		c.Engine.Model, c.Engine.ExtraColumns, c.ReadTimeout = table.Model, extra, time.Minute
		r := start(t, c, io.Discard)
		for name, body := range amplifyingBodies() {
			path := "/v1/classify"
			if name == "points of no dimension" {
				path = "/v1/transport"
			}
			var code int
			var answer []byte
			grown := peak(func() {
				a, err := r.client.Post(r.url+path, "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				defer a.Body.Close()
				code = a.StatusCode
				answer, _ = io.ReadAll(io.LimitReader(a.Body, 1<<20))
			})
			right := code == 400 || code == 413 || extra && code == 200
			if !right || code != 200 && len(answer) > 10_000 || grown > 256<<20 {
				t.Errorf("%s, extra columns %v: %d, %.300s (%d bytes), the heap has grown by %d MB", name, extra, code, answer, len(answer), grown>>20)
			}
		}
	}
}

// TestAmplifiedProtobuf checks the growth of the heap for protobuf messages that consist of many
// small messages.
func TestAmplifiedProtobuf(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	c := config(t)
	c.Engine.Model, c.ReadTimeout = table.Model, time.Minute
	r := start(t, c, io.Discard)
	conn, err := grpc.NewClient(r.Addresses()[2].String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	structs := make([]*structpb.Struct, 4_000_000) // two bytes each
	for i := range structs {
		structs[i] = new(structpb.Struct)
	}
	nulls := &structpb.ListValue{Values: make([]*structpb.Value, 4_000_000)}
	for i := range nulls.Values {
		nulls.Values[i] = new(structpb.Value)
	}
	keys := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for i := range 400_000 {
		keys.Fields[fmt.Sprint(i)] = nil
	}
	list := &structpb.Struct{Fields: map[string]*structpb.Value{"age": structpb.NewListValue(nulls)}}
	for name, samples := range map[string][]*structpb.Struct{"empty structs": structs, "nulls": {list}, "keys": {keys}} {
		in := &pb.ClassifyRequest{Samples: samples}
		grown := peak(func() { _, err = pb.NewTransformClient(conn).Classify(t.Context(), in) })
		if code := status.Code(err); code != codes.ResourceExhausted && code != codes.InvalidArgument || len(err.Error()) > 10_000 || grown > 256<<20 {
			t.Errorf("%s: %.300v, the heap has grown by %d MB", name, err, grown>>20)
		}
	}
	if _, err := pb.NewTransformClient(conn).Classify(t.Context(), &pb.ClassifyRequest{Samples: []*structpb.Struct{{Fields: map[string]*structpb.Value{
		"age": structpb.NewNumberValue(3), "city": structpb.NewStringValue("Bern"), "height": structpb.NewNullValue()}}}}); err != nil {
		t.Error(err)
	}
}

// TestTogether checks that many concurrent large requests are answered or rejected within the
// budget.
func TestTogether(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	c := config(t)
	c.Engine.Model, c.Engine.Memory, c.ReadTimeout, c.Engine.Queue = table.Model, 64<<20, time.Minute, 100
	c.Engine.Wait = time.Minute
	r := start(t, c, io.Discard)
	body := amplifyingBodies()["many numbers"]
	var codes [600]atomic.Int64
	grown := peak(func() {
		done := make(chan bool)
		for range 20 {
			go func() {
				a, err := r.client.Post(r.url+"/v1/classify", "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
				} else {
					codes[a.StatusCode].Add(1)
					a.Body.Close()
				}
				done <- true
			}()
		}
		for range 20 {
			<-done
		}
	})
	if n := codes[400].Load() + codes[413].Load() + codes[503].Load(); n != 20 || grown > 256<<20 {
		t.Errorf("%d of 20 requests are refused, the heap has grown by %d MB", n, grown>>20)
	}
}

// TestGone checks that the work of a request ends soon after its client disconnects.
func TestGone(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	c := config(t)
	c.Engine.Model, c.ReadTimeout, c.Engine.Limits.Rows = table.Model, time.Minute, 1<<20
	r := start(t, c, io.Discard)
	row := `{"age":1,"city":"Bern","height":2}`
	body := `{"rows":[` + strings.Repeat(row+",", 200_000) + row + `]}`
	busy := func() bool { return strings.Contains(r.get(t, r.admin+"/metrics"), "monge_work_busy 1\n") }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		q, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/v1/classify", strings.NewReader(body))
		q.Header.Set("Content-Type", "application/json")
		if a, err := http.DefaultClient.Do(q); err == nil {
			a.Body.Close()
			t.Errorf("answered by %d before the client has left", a.StatusCode)
		}
	}()
	fixture.Until(t, busy)
	cancel()
	left := time.Now()
	fixture.Until(t, func() bool { return !busy() })
	t.Logf("the work ended after %v", time.Since(left))
}

// TestMediaTypes checks that a body with a content encoding is not decoded as numbers.
func TestMediaTypes(t *testing.T) {
	r := start(t, config(t), io.Discard)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(make([]byte, 8000))
	w.Close()
	padded := append(packed.Bytes(), make([]byte, 80-packed.Len()%80)...)
	for _, c := range []struct {
		mediaType, coding string
		status            int
	}{
		{"application/x-float64", "gzip", 415}, {"application/json", "br", 415}, {"application/x-float64", "gzip, identity", 415},
		{"application/x-float64", "identity", 200}, {"text/csv", "", 415}, {"", "", 415},
	} {
		body := padded
		if c.status == 200 {
			body = make([]byte, 80)
		}
		q, _ := http.NewRequestWithContext(t.Context(), "POST", r.url+"/v1/classify", bytes.NewReader(body))
		q.Header.Set("Content-Type", c.mediaType)
		if c.coding != "" {
			q.Header.Set("Content-Encoding", c.coding)
		}
		a, err := r.client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if a.Body.Close(); a.StatusCode != c.status {
			t.Errorf("%+v: %d", c, a.StatusCode)
		}
	}
}
