module github.com/gomonge/monge/bench/peers

go 1.26.0

require (
	github.com/coder/hnsw v0.6.1
	github.com/gomonge/monge v0.0.0
	github.com/philippgille/chromem-go v0.7.0
	github.com/tphakala/simd v1.8.0
	github.com/viterin/vek v0.4.3
	github.com/x448/float16 v0.8.4
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/google/renameio v1.0.1 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260508232706-74f9aab9d74a // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/gomonge/monge => ../..
