// Package sums is test data. The comment "bare" marks each sum that the compiler may fuse with a product.
package sums

type float interface{ float32 | float64 }

type vector[T float] struct{ x []T }

func direct(x, y, z float64) float64     { return x*y + z }          // bare
func converted(x, y, z float64) float64  { return float64(x*y) + z } // rounded
func difference(x, y, z float32) float32 { return z - (-(x * y)) }   // bare
func generic[T float](x, y, z T) T       { return z - x*y }          // bare
func generic2[T float](x, y, z T) T      { return z - T(x*y) }
func integers(x, y, z int) int           { return x*y + z }
func exact(x, z float64) float64         { return 2*x - z + x*0.25 }
func divided(x, y, z float64) float64    { return x*y/z + z }
func constants(z float64) float64        { const c = 3.0; return c*c + z }

func assigned(s, x, y float64) float64 {
	s += x * y // bare
	s -= float64(x * y)
	return s
}

func variable(x, y, z float64) float64 {
	t := x * y
	var u = x * x
	z += t       // bare
	return u + z // bare
}

func scaled(x, y, z float64) float64 {
	x *= y
	return x + z // bare
}

func product(x, y float64) float64          { return x * y }
func named(x, y float64) (p float64)        { p = x * y; return }
func two(x, y float64) (p, q float64)       { return x, x * y }
func (v vector[T]) at(i int) T              { return v.x[i] * v.x[i] }
func result(x, y, z float64) float64        { return product(x, y) + z }          // bare
func namedResult(x, y, z float64) float64   { return named(x, y) - z }            // bare
func roundedResult(x, y, z float64) float64 { return float64(product(x, y)) + z } //
func method(v vector[float32]) float32      { return v.at(0) + v.at(1) }          // bare
func sum[T float](x, y T) T                 { return x + y }                      // bare
func argument(x, y, z float64) float64      { return sum(z, x*y) }

func second(x, y, z float64) float64 {
	p, q := two(x, y)
	s := p + z
	return s + q // bare
}

func literal(x, y, z float64) func() float64 {
	return func() float64 {
		return x*y + z // bare
	}
}
