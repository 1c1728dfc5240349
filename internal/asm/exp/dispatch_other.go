//go:build (!amd64 && !arm64) || purego

package exp

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func exp[T num.Float](dst, x []T) {
	expRef(dst, x)
}

func sumExp[T num.Float](s *Sum[T], dst, x []T) {
	sumExpRef(s, dst, x)
}

func exp2[T num.Float](dst, x []T, c T) {
	exp2Ref(dst, x, c)
}

func logRows[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	logRowsRef(m, n, mat, ldm, c, g, a, max, sum, q, e)
}

func logColumnMax[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	logColumnMaxRef(m, n, mat, ldm, c, f, h)
}

func logColumnSum[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	logColumnSumRef(m, n, mat, ldm, c, f, h, s)
}

func logPlan[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	logPlanRef(m, n, t, ldt, mat, ldm, c, f, g)
}
