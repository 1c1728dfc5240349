//go:build (!amd64 && !arm64) || purego

package limit

import "github.com/gomonge/monge/internal/asm"

func loopsOf(asm.Level) loopSet { return loopSet{} }
