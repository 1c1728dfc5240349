module github.com/gomonge/monge

go 1.26

require (
	golang.org/x/arch v0.30.0
	golang.org/x/sys v0.47.0
	gonum.org/v1/gonum v0.17.0
)
