// Command serve answers requests with a fitted model: serve -model digits.wda. -help lists
// the flags.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/gomonge/monge/examples/service/server"
	"github.com/gomonge/monge/examples/service/server/metrics"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run() error {
	var config server.Config
	config.Flags(flag.CommandLine)
	level := slog.LevelInfo
	flag.TextVar(&level, "log", level, "least level to log: DEBUG logs every request that fails")
	flag.Parse()
	if flag.NArg() > 0 || config.Engine.Model == "" {
		return fmt.Errorf("-model is required, arguments are none; -help lists the flags")
	}
	m := metrics.New()
	log := slog.New(slog.NewJSONHandler(m.Writer(os.Stderr), &slog.HandlerOptions{Level: level}))
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
			s.Reload() // says what is wrong
		}
	}()
	return s.Run(ctx)
}
