module github.com/gomonge/monge/examples

go 1.26

require (
	github.com/gomonge/monge v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/sys v0.47.0 // indirect

replace github.com/gomonge/monge => ../
