package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/examples/service/internal/linequeue"
	"github.com/gomonge/monge/examples/service/load"
	"github.com/gomonge/monge/examples/service/server/metrics"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config returns a configuration with the default values of the flags and with ports chosen by the
// system.
func config(t *testing.T) Config {
	t.Helper()
	var c Config
	c.Flags(flag.NewFlagSet("", flag.ContinueOnError))
	c.HTTP, c.GRPC, c.Admin, c.Engine.Model = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", fixture.Model(t, 1)
	return c
}

// running is a service under test.
type running struct {
	*Server
	client     *http.Client
	url, admin string
	ended      chan error
	stop       func()
}

// start runs a service until the test ends.
func start(t *testing.T, c Config, log io.Writer) *running {
	t.Helper()
	m := metrics.New()
	lines := linequeue.New(log, 1<<20, m.Unlogged)
	t.Cleanup(func() { lines.Close(time.Second) })
	s, err := New(c, slog.New(slog.NewTextHandler(lines, nil)), m)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &running{Server: s, client: &http.Client{Transport: &http.Transport{}}, ended: make(chan error, 1), stop: stop}
	a := s.Addresses()
	r.url, r.admin = "http://"+a[0].String(), "http://"+a[1].String()
	go func() { r.ended <- s.Run(ctx); close(r.ended) }()
	t.Cleanup(func() {
		stop()
		<-r.ended
		r.client.CloseIdleConnections()
	})
	return r
}

// get returns the body of an answer.
func (r *running) get(t *testing.T, url string) string {
	t.Helper()
	answer, err := r.client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// rowBody returns a complete HTTP request to classify one sample.
func rowBody() []byte {
	var body []byte
	for i := range 10 {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(float64(i)/10))
	}
	return load.Request("/v1/classify", "application/x-float64", "", body)
}

// TestReloads checks that no request fails while the model is replaced a hundred times, sometimes
// by a truncated file.
func TestReloads(t *testing.T) {
	r := start(t, config(t), io.Discard)
	whole := [][]byte{fixture.File(t, 1), fixture.File(t, 2)}
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		for i := range 100 {
			next, want := whole[i%2], error(nil)
			if i%10 == 9 {
				next, want = next[:len(next)-100], io.ErrUnexpectedEOF
			}
			fixture.Write(t, r.config.Engine.Model, next)
			if err := r.Reload(t.Context()); (err == nil) != (want == nil) {
				t.Errorf("reload %d: %v", i, err)
			}
		}
	})
	var clients []load.Client
	for range 8 {
		clients = append(clients, &load.HTTP{Address: r.Addresses()[0].String(), Requests: [][]byte{rowBody()}})
	}
	var all [4]int64
	for reloading := true; reloading; {
		result := load.Run{Duration: 50 * time.Millisecond}.Do(t.Context(), clients)
		for o, n := range result.Counts {
			all[o] += n
		}
		select {
		case <-done:
			reloading = false
		default:
		}
	}
	wg.Wait()
	for _, c := range clients {
		c.(*load.HTTP).Close()
	}
	if all[load.OK] < 100 || all[load.Shed]+all[load.Failed]+all[load.GivenUp] > 0 {
		t.Errorf("answered, turned away, failed, given up: %v", all)
	}
	text := r.get(t, r.admin+"/metrics")
	for _, want := range []string{`monge_reloads_total{result="ok"} 90`, `monge_reloads_total{result="failed"} 10`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestWatch checks that a new model file is served without a request to reload, and that a damaged
// file is not served.
func TestWatch(t *testing.T) {
	c := config(t)
	c.Watch = time.Millisecond
	r := start(t, c, io.Discard)
	hash := fixture.Classifier(t, 2).Hash()
	fixture.Write(t, c.Engine.Model, fixture.File(t, 2))
	fixture.Until(t, func() bool { return strings.Contains(r.get(t, r.url+"/v1/model"), hash) })
	fixture.Write(t, c.Engine.Model, []byte("nonsense"))
	fixture.Until(t, func() bool {
		return strings.Contains(r.get(t, r.admin+"/metrics"), `monge_reloads_total{result="failed"} 1`)
	})
	if !strings.Contains(r.get(t, r.url+"/v1/model"), hash) {
		t.Error("another model is served")
	}
}

// TestSlowClient checks that a slow sender is disconnected and does not delay other clients.
func TestSlowClient(t *testing.T) {
	c := config(t)
	c.ReadTimeout = 300 * time.Millisecond
	c.Engine.Queue = 1
	r := start(t, c, io.Discard)
	var slow []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", r.Addresses()[0].String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		request := rowBody()
		if _, err := conn.Write(request[:len(request)-1]); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	fast := &load.HTTP{Address: r.Addresses()[0].String(), Requests: [][]byte{rowBody()}}
	defer fast.Close()
	for i := range 20 {
		if o := fast.Do(); o != load.OK {
			t.Errorf("request %d beside slow ones: %v", i, o)
		}
	}
	for _, conn := range slow {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		answer, err := io.ReadAll(conn) // reads until the service closes the connection
		if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) || !bytes.Contains(answer, []byte("the body did not come in time")) {
			t.Errorf("a slow client is told %q, %v", answer, err)
		}
	}
}

// TestEnvironment checks that every flag has an environment variable, and that the command line
// overrides the variable.
func TestEnvironment(t *testing.T) {
	var c Config
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	c.Flags(fs)
	unknown, err := Environment(fs, []string{"MONGE_SERVICE_HOST=10.0.0.1", "PATH=/bin", "MONGE_SERVICE_MAX_BODY=1000", "MONGE_SERVICE_QUEUE_WAIT=5ms", "MONGE_SERVICE_ACCESS_LOG=false", "MONGE_SERVICE_HTTP=", "MONGE_LEVEL=avx2"})
	if err == nil {
		err = fs.Parse([]string{"-queue-wait", "7ms"})
	}
	if err != nil || len(unknown) != 1 || unknown[0] != "MONGE_SERVICE_HOST" || c.Body != 1000 || c.Engine.Wait != 7*time.Millisecond || c.AccessLog || c.HTTP != "" || c.GRPC == "" {
		t.Errorf("%v, %+v", err, c)
	}
	if _, err := Environment(fs, []string{"MONGE_SERVICE_MAX_BODY=many"}); err == nil || !strings.Contains(err.Error(), `MONGE_SERVICE_MAX_BODY, value "many"`) {
		t.Error(err)
	}
}

// TestObserved checks a request over both protocols. The request must keep its ID and its trace,
// and must pass through the configured middleware. The access log must contain one line for the
// request unless the log is disabled.
func TestObserved(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, on := range []bool{true, false} {
		var log lines
		var seen atomic.Int32
		c := config(t)
		c.AccessLog = on
		c.Middleware = func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen.Add(1); h.ServeHTTP(w, r) })
		}
		r := start(t, c, &log)
		request, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/v1/classify", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]string{"Content-Type": "application/json", "X-Request-Id": "over-http", "Traceparent": "00-" + trace + "-00f067aa0ba902b7-01"} {
			request.Header.Set(name, v)
		}
		answer, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.Header.Get("X-Request-Id") != "over-http" || seen.Load() != 1 {
			t.Errorf("ID %q, middleware called %d times", answer.Header.Get("X-Request-Id"), seen.Load())
		}
		r.get(t, r.url+"/healthz") // probes are not logged
		conn, err := grpc.NewClient(r.Addresses()[2].String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var headers metadata.MD
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-request-id", "over-grpc", "traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		if _, err := pb.NewTransformClient(conn).GetModel(ctx, new(pb.GetModelRequest), grpc.Header(&headers)); err != nil || metadataText(headers, "x-request-id") != "over-grpc" {
			t.Errorf("%v, %v", headers, err)
		}
		r.stop()
		<-r.ended
		text := log.String()
		want := map[bool]int{true: 2}[on]
		if n := strings.Count(text, "msg=request "); n != want || strings.Count(text, "trace_id="+trace) != want {
			t.Errorf("%d lines, want %d:\n%s", n, want, text)
		}
		for _, part := range []string{"protocol=http method=POST path=/v1/classify status=400 bytes=", "request_id=over-http", `error="`, "protocol=grpc method=" + pb.Transform_GetModel_FullMethodName + " code=OK", "request_id=over-grpc"} {
			if strings.Contains(text, part) != on {
				t.Errorf("%q is in the log: %v", part, !on)
			}
		}
	}
}

// TestAge checks that an old connection is closed after its answer, and that its client reconnects.
func TestAge(t *testing.T) {
	c := config(t)
	c.Age = time.Millisecond
	r := start(t, c, io.Discard)
	fixture.Until(t, func() bool {
		answer, err := r.client.Get(r.url + "/v1/model")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.Close
	})
	r.get(t, r.url+"/v1/model")
}

func metadataText(md metadata.MD, name string) string { return strings.Join(md.Get(name), ",") }

// lines is a log to which several goroutines can write.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestFullDisk checks that the service continues and counts lost lines if its log cannot be
// written. The service writes no other files.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	conf := config(t)
	conf.AccessLog = false
	r := start(t, conf, full)
	c := &load.HTTP{Address: r.Addresses()[0].String(), Requests: [][]byte{rowBody()}}
	defer c.Close()
	if o := c.Do(); o != load.OK {
		t.Errorf("%v", o)
	}
	fixture.Until(t, func() bool { return strings.Contains(r.get(t, r.admin+"/metrics"), "monge_log_errors_total 2\n") }) // one line for the model and one line for the listeners
}

// TestShutdown checks that requests in flight are answered before the service ends.
func TestShutdown(t *testing.T) {
	c := config(t)
	c.Engine.Solvers.Tolerance, c.Engine.Solvers.MaxIterations = 1e-300, 1e9
	c.Engine.Limits.Timeout = time.Second
	r := start(t, c, io.Discard)
	cloud := func(n int, shift float64) string {
		points := make([]string, n)
		for i := range points {
			points[i] = fmt.Sprintf("[%v,%v]", math.Sin(float64(i))+shift, math.Cos(float64(i*i)))
		}
		return strings.Join(points, ",")
	}
	answered := make(chan int, 1)
	go func() {
		answer, err := r.client.Post(r.url+"/v1/transport", "application/json", strings.NewReader(`{"x":[`+cloud(100, 0)+`],"y":[`+cloud(90, 0.5)+`],"lambda":1}`))
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		answer.Body.Close()
		answered <- answer.StatusCode
	}()
	fixture.Until(t, func() bool { return strings.Contains(r.get(t, r.admin+"/metrics"), "monge_solvers_busy 1") })
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if status := <-answered; status != http.StatusGatewayTimeout {
		t.Errorf("a request in flight is answered by %d", status)
	}
	if _, err := net.Dial("tcp", r.Addresses()[0].String()); err == nil {
		t.Error("it still listens")
	}
}

// TestDrain checks that clients see no connection reset during shutdown if they keep connections
// and obey "Connection: close".
func TestDrain(t *testing.T) {
	c := config(t)
	c.Drain = 300 * time.Millisecond
	r := start(t, c, io.Discard)
	var wg sync.WaitGroup
	var answered atomic.Int64
	for range 8 {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			defer client.CloseIdleConnections()
			for {
				// The body cannot be read twice, so the client does not repeat a failed request
				// automatically.
				a, err := client.Post(r.url+"/v1/classify", "application/x-float64", io.MultiReader(bytes.NewReader(make([]byte, 80))))
				if errors.Is(err, syscall.ECONNREFUSED) {
					return // the service has ended
				}
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
				answered.Add(1)
			}
		})
	}
	fixture.Until(t, func() bool { return answered.Load() > 100 })
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestWatchedShutdown checks that a client that watches the health service learns of the shutdown,
// and that this client does not delay the shutdown.
func TestWatchedShutdown(t *testing.T) {
	c := config(t)
	c.Grace = time.Minute
	r := start(t, c, io.Discard)
	conn, err := grpc.NewClient(r.Addresses()[2].String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w, err := healthpb.NewHealthClient(conn).Watch(t.Context(), new(healthpb.HealthCheckRequest))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := w.Recv(); err != nil || m.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", m, err)
	}
	r.stop()
	select {
	case err := <-r.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the service waits for the watching client")
	}
}

// TestAddresses checks that TLS and a token, or the flag -insecure-public, are required for
// addresses that other machines can reach.
func TestAddresses(t *testing.T) {
	cert, key, pool := certificate(t)
	token := fixture.Write(t, filepath.Join(t.TempDir(), "token"), []byte("0123456789abcdef\n"))
	short := fixture.Write(t, filepath.Join(t.TempDir(), "short"), []byte("0123"))
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"loopback":   {func(c *Config) { c.HTTP, c.GRPC, c.Admin = "localhost:0", "127.8.8.8:0", "" }, ""},
		"public":     {func(c *Config) { c.HTTP = ":0" }, "can be reached by other machines"},
		"admin":      {func(c *Config) { c.Admin = "0.0.0.0:0" }, "can be reached by other machines"},
		"gRPC":       {func(c *Config) { c.GRPC = "example.com:0" }, "can be reached by other machines"},
		"TLS only":   {func(c *Config) { c.GRPC, c.TLSCert, c.TLSKey = ":0", cert, key }, "can be reached by other machines"},
		"token only": {func(c *Config) { c.GRPC, c.TokenFile = ":0", token }, "can be reached by other machines"},
		"both":       {func(c *Config) { c.TokenFile, c.TLSCert, c.TLSKey = token, cert, key }, ""},
		"asked for":  {func(c *Config) { c.HTTP, c.Public = "127.0.0.1:0", true }, ""},
		"no key":     {func(c *Config) { c.TLSCert = cert }, "go together"},
		"no file":    {func(c *Config) { c.TLSCert, c.TLSKey = cert, cert+"x" }, "no such file"},
		"short":      {func(c *Config) { c.TokenFile = short }, "the token has 4 characters"},
		"no token":   {func(c *Config) { c.TokenFile = short + "x" }, "no such file"},
		"body":       {func(c *Config) { c.Body = c.Engine.Memory/2 + 1 }, "-memory is"},
		"streams":    {func(c *Config) { c.Streams = 0 }, "-max-streams is 0"},
		"idle":       {func(c *Config) { c.Idle = 0 }, "-idle-timeout must be positive"},
		"age":        {func(c *Config) { c.Age = 1 }, "-max-connection-age"},
		"taken":      {func(c *Config) { c.GRPC = "nonsense" }, "nonsense"},
	} {
		conf := config(t)
		c.change(&conf)
		s, err := New(conf, slog.New(slog.DiscardHandler), metrics.New())
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if s != nil {
			s.close()
		}
	}
	conf := config(t)
	conf.TLSCert, conf.TLSKey, conf.TokenFile = cert, key, token
	r := start(t, conf, io.Discard)
	r.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	request, _ := http.NewRequestWithContext(t.Context(), "GET", "https://"+r.Addresses()[0].String()+"/v1/model", nil)
	request.Header.Set("Authorization", "Bearer 0123456789abcdef")
	answer, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != 200 || answer.ProtoMajor != 2 {
		t.Errorf("over TLS: %s, HTTP/%d", answer.Status, answer.ProtoMajor)
	}
}

// certificate writes a certificate for 127.0.0.1.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cert = fixture.Write(t, filepath.Join(folder, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	key = fixture.Write(t, filepath.Join(folder, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bits}))
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, pool
}

// TestMillionColumns checks that a request with a million columns needs only a little more memory
// than the size of the request.
func TestMillionColumns(t *testing.T) {
	r := start(t, config(t), io.Discard)
	body := append(append([]byte(`{"rows":[[`), bytes.Repeat([]byte("0,"), 1e6)...), "0]]}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer, err := r.client.Post(r.url+"/v1/classify", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	runtime.ReadMemStats(&after)
	if answer.StatusCode != 400 || !strings.Contains(string(text), "1000001 features, the model takes 10") {
		t.Errorf("%s: %s", answer.Status, text)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
		t.Errorf("%d MiB allocated for %d KiB", used>>20, len(body)>>10)
	}
}
