// Command serve answers requests with a fitted model:
//
//	serve -model digits.wda
//
// The flag -help lists all flags. Each flag can also be set by an environment variable. For
// example, MONGE_SERVICE_MODEL sets -model, and MONGE_SERVICE_MAX_BODY sets -max-body. Flags
// override environment variables.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/gomonge/monge/examples/service/internal/linequeue"
	"github.com/gomonge/monge/examples/service/server"
	"github.com/gomonge/monge/examples/service/server/metrics"
)

func main() {
	// The service must work and shut down even if nobody reads its log. Therefore log lines wait in
	// a queue, and a write to a closed pipe returns an error instead of raising a signal.
	signal.Ignore(syscall.SIGPIPE)
	m := metrics.New()
	stderr := linequeue.New(os.Stderr, 1<<20, m.Unlogged)
	err := run(stderr, m)
	if err != nil {
		fmt.Fprintln(stderr, "serve:", err)
	}
	stderr.Close(time.Second)
	if err != nil {
		os.Exit(1)
	}
}

func run(stderr io.Writer, m *metrics.Metrics) error {
	var config server.Config
	fs := flag.CommandLine
	config.Flags(fs)
	level := slog.LevelInfo
	fs.TextVar(&level, "log", level, "lowest `level` to log: DEBUG, INFO, WARN or ERROR")
	version := fs.Bool("version", false, "print the version and exit")
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), "Serve a fitted model over HTTP and gRPC.\n\n",
			"  serve -model digits.wda\n",
			"  serve -model digits.wda -check samples.csv -check-accuracy 0.9 -watch 5s\n",
			"  serve -model digits.wda -http :8443 -tls-cert cert.pem -tls-key key.pem -token-file token -grpc '' -admin 127.0.0.1:8082\n\n",
			"Every flag can be set by an environment variable, too: ", server.Variable("max-body"), " sets -max-body. Flags win.\n\nFlags:\n")
		fs.PrintDefaults()
	}
	unknown, err := server.Environment(fs, os.Environ())
	if err != nil {
		return err
	}
	flag.Parse()
	if *version {
		fmt.Println(buildInfo())
		return nil
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; -help lists the flags", fs.Arg(0))
	}
	if config.Engine.Model == "" {
		return fmt.Errorf("no model: give a file with -model, as monge fit --k writes it; -help lists the flags")
	}
	log := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
	for _, name := range unknown {
		log.Warn("an environment variable sets no flag; -help lists the flags", "variable", name)
	}
	s, err := server.New(config, log, m)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	go func() {
		for range again {
			s.Reload(ctx) // Reload logs its error
		}
	}()
	return s.Run(ctx)
}

// buildInfo describes the binary: version, commit and Go version, if known.
func buildInfo() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "monge-service (unknown version)"
	}
	commit, modified := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	return fmt.Sprintf("monge-service %s, commit %s%s, %s", info.Main.Version, commit, modified, info.GoVersion)
}
