package asm

import "context"

type levelKey struct{}

// WithLevel returns a context that asks what takes it to run on level l: for tests and
// benchmarks, which compare levels in one process.
func WithLevel(ctx context.Context, l Level) context.Context {
	return context.WithValue(ctx, levelKey{}, l)
}

// LevelOf returns the level that ctx asks for, or Best.
func LevelOf(ctx context.Context) Level {
	if l, ok := ctx.Value(levelKey{}).(Level); ok {
		return l
	}
	return best
}
