// Package processes provides the Beam runner prism-processes. It is Prism, the runner of Beam's Go
// SDK for one machine, but with worker processes. A program imports this package for its side
// effect.
//
// Prism has one worker for each environment of a pipeline, and the Go SDK creates a single
// environment. This runner creates one environment for each scope named lane-0, lane-1 and so on.
// The environment of a scope contains the transforms in the scope and all transforms that consume
// only results of this scope. The process of lane-0 runs all other transforms.
//
// A worker process runs the same program, but beam.Init() does not return in it. A worker process
// starts when a pipeline needs the process, serves one pipeline after another, and ends with the
// program that started the process. Each process uses an equal part of the cores, unless GOMAXPROCS
// is set. If a process ends early, for example because it is killed, its jobs fail, and the next
// job starts a new process.
package processes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/protox"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

func init() {
	beam.RegisterRunner("prism-processes", execute)
	runtime.RegisterInit(runWorker)
	hooks.RegisterHook(hook, func(lane []string) hooks.Hook {
		return hooks.Hook{Req: localMonitoring, Resp: laneHook(lane[0]).global}
	})
}

// hook is the name of a Beam hook that adds the lane number to the short names of metrics. Every
// process numbers its own metrics from 1. Prism 2.77 treats equal names from different workers as
// one metric and panics.
const hook = "monge-lane"

type laneHook string

func (lane laneHook) global(_ context.Context, _ *fnpb.InstructionRequest, r *fnpb.InstructionResponse) error {
	if b := r.GetProcessBundle(); b != nil {
		b.MonitoringData = renameKeys(b.MonitoringData, lane)
	}
	if b := r.GetProcessBundleProgress(); b != nil {
		b.MonitoringData = renameKeys(b.MonitoringData, lane)
	}
	if b := r.GetMonitoringInfos(); b != nil {
		b.MonitoringInfo = renameKeys(b.MonitoringInfo, lane)
	}
	return nil
}

func renameKeys[V any](by map[string]V, lane laneHook) map[string]V {
	out := make(map[string]V, len(by))
	for name, v := range by {
		out[string(lane)+"."+name] = v
	}
	return out
}

func localMonitoring(ctx context.Context, r *fnpb.InstructionRequest) (context.Context, error) {
	for i, name := range r.GetMonitoringInfos().GetMonitoringInfoId() {
		_, r.GetMonitoringInfos().MonitoringInfoId[i], _ = strings.Cut(name, ".")
	}
	return ctx, nil
}

// laneVariable is the environment variable with the lane number of a worker process.
const laneVariable = "MONGE_BEAM_WORKER"

// command is a line on the standard input of a worker. It tells the worker that a job has begun or
// ended.
type command struct {
	ID, Logging, Control, Provision string
	Stop                            bool
}

// runWorker runs the harness of Beam's Go SDK for each job, if this process is a worker process.
func runWorker() {
	lane := os.Getenv(laneVariable)
	if lane == "" {
		return
	}
	if err := hooks.EnableHook(hook, lane); err != nil {
		panic(err)
	}
	hooks.SerializeHooksToOptions() // the harness reads the hooks from the options
	in := json.NewDecoder(os.Stdin)
	ends := map[string]context.CancelFunc{}
	for {
		var c command
		if in.Decode(&c) != nil { // the parent process has ended
			os.Exit(0)
		}
		if end := ends[c.ID]; c.Stop {
			if end != nil {
				end()
			}
			delete(ends, c.ID)
			continue
		}
		ctx, end := context.WithCancel(grpcx.WriteWorkerID(context.Background(), c.ID))
		ends[c.ID] = end
		go func() {
			var o harness.Options
			if info, err := tools.ProvisionInfo(ctx, c.Provision); err == nil {
				o = harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities()}
			}
			if err := harness.MainWithOptions(ctx, c.Logging, c.Control, o); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "worker process:", err)
			}
		}()
	}
}

type process struct {
	in    io.WriteCloser
	dead  chan struct{} // closed when the process has ended
	cause error         // reason why the process has ended; set before dead is closed
}

// startProcess starts one of n worker processes. lane is its number.
func startProcess(lane string, n int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), laneVariable+"="+lane)
	if os.Getenv("GOMAXPROCS") == "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", max(1, goruntime.GOMAXPROCS(0)/n)))
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &process{in: in, dead: make(chan struct{})}
	go func() {
		w.cause = fmt.Errorf("the worker process of lane-%s, %d, has ended: %v", lane, cmd.Process.Pid, cmd.Wait())
		close(w.dead)
	}()
	return w, nil
}

// host contains a client of Prism, the local runner of Beam, and the worker processes of Prism.
// Prism itself runs in this process.
type host struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	jobs     jobpb.JobServiceClient
	endpoint string

	mu     sync.Mutex
	lanes  map[string]*process // by lane number
	jobsOf map[string]*process // process of each running job; the key is Prism's worker ID
}

var startHost = sync.OnceValues(func() (*host, error) {
	at, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	h := &host{endpoint: at.Addr().String(), lanes: map[string]*process{}, jobsOf: map[string]*process{}}
	if h.jobs, err = prism.CreateJobServer(context.Background(), prism.Options{}); err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, h)
	go server.Serve(at)
	return h, nil
})

// workers returns the worker processes of lane-0 to lane-(n−1), and starts the processes that are
// not running.
func (h *host) workers(n int) ([]*process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ws := make([]*process, n)
	for k := range ws {
		lane := strconv.Itoa(k)
		w := h.lanes[lane]
		if w != nil {
			select {
			case <-w.dead:
				w = nil
			default:
			}
		}
		if w == nil {
			var err error
			if w, err = startProcess(lane, n); err != nil {
				return nil, err
			}
			h.lanes[lane] = w
		}
		ws[k] = w
	}
	return ws, nil
}

// StartWorker is called by Prism when a job begins. It reports success even if the worker process has
// ended, because Prism would panic on an error. Such a job fails later.
func (h *host) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	id := r.GetWorkerId()
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.lanes[r.GetParams()["lane"]]
	h.jobsOf[id] = w
	json.NewEncoder(w.in).Encode(command{ID: id, Logging: r.GetLoggingEndpoint().GetUrl(), Control: r.GetControlEndpoint().GetUrl(), Provision: r.GetProvisionEndpoint().GetUrl()})
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker is called by Prism when a job has ended.
func (h *host) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	id := r.GetWorkerId()
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.jobsOf[id]; w != nil {
		json.NewEncoder(w.in).Encode(command{ID: id, Stop: true})
	}
	delete(h.jobsOf, id)
	return &fnpb.StopWorkerResponse{}, nil
}

func execute(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
	h, err := startHost()
	if err != nil {
		return nil, err
	}
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	env, err := graphx.CreateEnvironment(ctx, graphx.URNEnvExternal, func(context.Context) string { return h.endpoint })
	if err != nil {
		return nil, err
	}
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		return nil, err
	}
	ws, err := h.workers(divideByLane(pipeline.GetComponents(), h.endpoint))
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	for _, w := range ws {
		go func() {
			select {
			case <-w.dead:
				end(w.cause)
			case <-ctx.Done():
			}
		}()
	}
	// If Prism split a lane, the worker process would work on several parts of the lane at once.
	whole := append(jobopts.GetExperiments(), "prism_disable_sdf_split")
	id, _, _, err := runnerlib.Prepare(ctx, h.jobs, pipeline, &runnerlib.JobOptions{Name: jobopts.GetJobName(), Experiments: whole})
	if err != nil {
		return nil, err
	}
	job, err := runnerlib.Submit(ctx, h.jobs, id, "")
	if err != nil {
		return nil, err
	}
	err = runnerlib.WaitForCompletion(ctx, h.jobs, job)
	if ctx.Err() != nil {
		h.jobs.Cancel(context.WithoutCancel(ctx), &jobpb.CancelJobRequest{JobId: job})
		return nil, context.Cause(ctx)
	}
	if err != nil {
		if strings.Contains(err.Error(), "disconnected") { // the connection of a process ends before the process itself
			select {
			case <-ctx.Done():
				err = context.Cause(ctx)
			case <-time.After(time.Second):
			}
		}
		return nil, err
	}
	found, err := h.jobs.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job})
	if err != nil {
		return nil, err
	}
	m := metricsx.FromMonitoringInfos(pipeline, found.GetMetrics().GetAttempted(), found.GetMetrics().GetCommitted())
	return result{job, m}, nil
}

type result struct {
	job     string
	metrics *metrics.Results
}

func (r result) JobID() string            { return r.job }
func (r result) Metrics() metrics.Results { return *r.metrics }

var scope = regexp.MustCompile(`(?:^|/)lane-(\d+)/`)

// divideByLane gives each lane its own environment, which all transforms of the lane use. It returns
// the number of lanes, which is one if no transform belongs to a lane.
func divideByLane(c *pipepb.Components, endpoint string) int {
	lane := map[string]int{} // lane number of each transform
	for id, t := range c.GetTransforms() {
		if m := scope.FindStringSubmatch(t.GetUniqueName() + "/"); m != nil {
			if k, err := strconv.Atoi(m[1]); err == nil {
				lane[id] = k
			}
		}
	}
	n := 1
	for _, k := range lane {
		n = max(n, k+1)
	}
	from := map[string]string{} // transform that produces each collection
	for id, t := range c.GetTransforms() {
		if len(t.GetSubtransforms()) == 0 {
			for _, col := range t.GetOutputs() {
				from[col] = id
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for id, t := range c.GetTransforms() {
			if _, ok := lane[id]; ok || len(t.GetInputs()) == 0 {
				continue
			}
			of := -1
			for _, col := range t.GetInputs() {
				k, ok := lane[from[col]]
				if !ok || of >= 0 && k != of {
					of = -2
				} else if of == -1 {
					of = k
				}
			}
			if of >= 0 {
				lane[id], changed = of, true
			}
		}
	}
	first := ""
	envs := c.GetEnvironments()
	for id := range envs { // the Go SDK creates a single environment
		first = id
	}
	of := make([]string, n)
	for k := range of {
		e := proto.Clone(envs[first]).(*pipepb.Environment)
		e.Dependencies = nil // workers run the same program
		e.Payload = protox.MustEncode(&pipepb.ExternalPayload{Endpoint: &pipepb.ApiServiceDescriptor{Url: endpoint}, Params: map[string]string{"lane": strconv.Itoa(k)}})
		of[k] = first
		if k > 0 {
			of[k] = fmt.Sprintf("%s.%d", first, k)
		}
		envs[of[k]] = e
	}
	for id, t := range c.GetTransforms() {
		if t.GetEnvironmentId() != "" {
			t.EnvironmentId = of[lane[id]]
		}
	}
	return n
}
