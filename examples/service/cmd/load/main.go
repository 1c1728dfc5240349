// Command load measures a service on the same machine:
//
//	load -op classify -format binary                  three runs: at the maximum rate, half of the maximum and twice the maximum
//	load -op transport -format grpc -points 256 -rate 100 -reloads 10
//
// It prints rows of a Markdown table. Package load describes how times are measured. The last
// columns are:
//
//   - GC: share of the garbage collector in the service's processor time;
//   - cores: number of processors that the service kept busy;
//   - steal: share of processor time that the hypervisor gave to other machines (on Linux). A high
//     share means that the hypervisor, and not the service, delayed answers.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gomonge/monge/examples/service/load"
	pb "github.com/gomonge/monge/examples/service/servicepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type options struct {
	http, grpc, admin string
	op, format        string
	points, columns   int
	plan              bool
	lambda            float64
	clients           int
	reloads           int
	run               load.Run
	overload          float64
}

func main() {
	var o options
	flag.StringVar(&o.http, "http", "127.0.0.1:8080", "address of HTTP")
	flag.StringVar(&o.grpc, "grpc", "127.0.0.1:8081", "address of gRPC")
	flag.StringVar(&o.admin, "admin", "127.0.0.1:8082", "address of /metrics and /reload")
	flag.StringVar(&o.op, "op", "classify", "classify, project or transport")
	flag.StringVar(&o.format, "format", "binary", "binary or json over HTTP, or grpc")
	flag.IntVar(&o.points, "points", 64, "points of each cloud of a transport problem")
	flag.IntVar(&o.columns, "columns", 10, "dimension of these points")
	flag.BoolVar(&o.plan, "plan", true, "ask for the plan")
	flag.Float64Var(&o.lambda, "lambda", 0.1, "λ of the transport problems")
	flag.IntVar(&o.clients, "clients", 128, "connections, or requests at a time over gRPC")
	flag.IntVar(&o.reloads, "reloads", 0, "number of reloads of the model during a run")
	flag.Float64Var(&o.run.Rate, "rate", 0, "requests a second; 0 measures how many are answered, then offers half of that, and -overload times that")
	flag.Float64Var(&o.overload, "overload", 2, "load of the last run, as a multiple of the rate that was answered")
	flag.DurationVar(&o.run.Duration, "duration", 10*time.Second, "duration of each run")
	flag.DurationVar(&o.run.Patience, "patience", time.Second, "time after which a request that could not be sent is given up")
	flag.Uint64Var(&o.run.Seed, "seed", 1, "seed of the times and the data")
	flag.Parse()
	if err := o.measure(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (o *options) measure() error {
	clients, err := o.connect()
	if err != nil {
		return err
	}
	fmt.Println("| | offered/s | answered/s | turned away/s | given up/s | failed | p50 ms | p99 ms | p99.9 ms | GC | cores | steal |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	if o.run.Rate > 0 {
		_, err = o.measureRow("", o.run, clients)
		return err
	}
	closed := o.run
	most, err := o.measureRow("as fast as answered", closed, clients[:min(16, len(clients))])
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name   string
		factor float64
	}{{"half load", 0.5}, {"overload", o.overload}} {
		run := o.run
		run.Rate = l.factor * most
		if _, err := o.measureRow(l.name, run, clients); err != nil {
			return err
		}
	}
	return nil
}

// measureRow measures a run, prints its results, and returns the number of answers per second.
func (o *options) measureRow(name string, run load.Run, clients []load.Client) (float64, error) {
	before, err := o.readProcessorTimes()
	if err != nil {
		return 0, err
	}
	stolenBefore, allBefore := stolenTime()
	reloaded := make(chan error, 1)
	go func() { reloaded <- o.reloadModel(run.Duration) }()
	r := run.Do(context.Background(), clients)
	if err := <-reloaded; err != nil {
		return 0, err
	}
	after, err := o.readProcessorTimes()
	if err != nil {
		return 0, err
	}
	stolen, all := stolenTime()
	ms := func(q float64) float64 { return float64(r.Latency.ValueAtQuantile(q)) / 1000 }
	used := after.total - before.total
	fmt.Printf("| %s | %.0f | %.0f | %.0f | %.0f | %d | %.2f | %.2f | %.2f | %.1f %% | %.2f | %.0f %% |\n", strings.TrimSpace(o.op+" "+o.format+" "+name), run.Rate,
		r.PerSecond(load.OK), r.PerSecond(load.Shed), r.PerSecond(load.GivenUp), r.Counts[load.Failed], ms(50), ms(99), ms(99.9),
		100*(after.gc-before.gc)/used, used/r.Elapsed.Seconds(), 100*(stolen-stolenBefore)/max(1, all-allBefore))
	return r.PerSecond(load.OK), nil
}

// reloadModel requests o.reloads reloads of the model, evenly spread over the duration of a run.
func (o *options) reloadModel(during time.Duration) error {
	for range o.reloads {
		time.Sleep(during / time.Duration(o.reloads+1))
		answer, err := http.Post("http://"+o.admin+"/reload", "", nil)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("reload: %s", answer.Status)
		}
	}
	return nil
}

// processorTimes holds the processor times of the service in seconds.
type processorTimes struct{ total, gc float64 }

func (o *options) readProcessorTimes() (p processorTimes, err error) {
	answer, err := http.Get("http://" + o.admin + "/metrics")
	if err != nil {
		return p, err
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		v, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "process_cpu_seconds_total":
			p.total = v
		case "go_cpu_classes_gc_total_cpu_seconds_total":
			p.gc = v
		}
	}
	return p, nil
}

// stolenTime returns the processor time taken by the hypervisor and the total processor time, in
// ticks. It returns zeros if the system does not report these times.
func stolenTime() (stolen, all float64) {
	const steal = 8 // field number in the line "cpu user nice system idle iowait irq softirq steal"
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	for i := 1; i < len(fields) && i <= steal; i++ {
		v, _ := strconv.ParseFloat(fields[i], 64)
		if all += v; i == steal {
			stolen = v
		}
	}
	return stolen, all
}

// distinctRequests is the number of different requests. A client sends these requests in turn.
const distinctRequests = 32

// connect returns clients with requests for the served model.
func (o *options) connect() ([]load.Client, error) {
	answer, err := http.Get("http://" + o.http + "/v1/model")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var model struct{ Features int }
	if err := json.NewDecoder(answer.Body).Decode(&model); err != nil || model.Features == 0 {
		return nil, fmt.Errorf("no model at %s: %v", o.http, err)
	}
	rng := rand.New(rand.NewPCG(o.run.Seed, 1))
	matrix := func(rows, columns int, shift float64) [][]float64 {
		m := make([][]float64, rows)
		for i := range m {
			m[i] = make([]float64, columns)
			for j := range m[i] {
				m[i][j] = float64(float32(shift + rng.NormFloat64()))
			}
		}
		return m
	}
	type problem struct {
		Rows   [][]float64 `json:"rows,omitempty"`
		X      [][]float64 `json:"x,omitempty"`
		Y      [][]float64 `json:"y,omitempty"`
		Lambda float64     `json:"lambda,omitempty"`
		Plan   bool        `json:"plan,omitempty"`
	}
	problems := make([]problem, distinctRequests)
	for i := range problems {
		if o.op == "transport" {
			problems[i] = problem{X: matrix(o.points, o.columns, 0), Y: matrix(o.points, o.columns, 0.5), Lambda: o.lambda, Plan: o.plan}
		} else {
			problems[i] = problem{Rows: matrix(1, model.Features, 0)}
		}
	}
	clients := make([]load.Client, o.clients)
	if o.format == "grpc" {
		if o.op == "project" {
			return nil, fmt.Errorf("-op project -format grpc is not supported: use -format binary or json")
		}
		var calls []func(context.Context, pb.TransformClient) error
		for _, p := range problems {
			if o.op == "transport" {
				in := &pb.TransportRequest{X: float64Rows(p.X), Y: float64Rows(p.Y), Lambda: p.Lambda, Plan: p.Plan}
				calls = append(calls, func(ctx context.Context, c pb.TransformClient) error { _, err := c.Transport(ctx, in); return err })
				continue
			}
			in := &pb.ClassifyRequest{Rows: &pb.Rows{Columns: uint32(model.Features)}}
			for _, v := range p.Rows[0] {
				in.Rows.Float32 = append(in.Rows.Float32, float32(v))
			}
			calls = append(calls, func(ctx context.Context, c pb.TransformClient) error { _, err := c.Classify(ctx, in); return err })
		}
		var conn *grpc.ClientConn
		for i := range clients {
			if i%16 == 0 {
				if conn, err = grpc.NewClient(o.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30))); err != nil {
					return nil, err
				}
			}
			clients[i] = &load.GRPC{Client: pb.NewTransformClient(conn), Call: calls[i%distinctRequests]}
		}
		return clients, nil
	}
	var requests [][]byte
	for _, p := range problems {
		contentType, body := "application/json", []byte(nil)
		switch {
		case o.format == "json":
			if body, err = json.Marshal(p); err != nil {
				return nil, err
			}
		case o.format == "binary" && o.op != "transport":
			contentType = "application/x-float32"
			for _, v := range p.Rows[0] {
				body = binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
			}
		default:
			return nil, fmt.Errorf("-format %q is not supported for -op %s", o.format, o.op)
		}
		requests = append(requests, load.Request("/v1/"+o.op, contentType, "", body))
	}
	for i := range clients {
		clients[i] = &load.HTTP{Address: o.http, Requests: requests}
	}
	return clients, nil
}

func float64Rows(m [][]float64) *pb.Rows {
	r := &pb.Rows{Columns: uint32(len(m[0]))}
	for _, row := range m {
		r.Float64 = append(r.Float64, row...)
	}
	return r
}
