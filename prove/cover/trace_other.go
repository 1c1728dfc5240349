//go:build !(linux && amd64)

package main

import (
	"errors"

	"github.com/gomonge/monge/prove/internal/code"
)

func trace(*code.Program, []string) (*code.Coverage, error) {
	return nil, errors.New("only Linux on amd64 is supported")
}
