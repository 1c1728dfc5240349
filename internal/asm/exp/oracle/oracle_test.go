package oracle

import (
	"math/big"
	"testing"
)

// TestOracle compares e, √2, ln 10 and log₂ 10 with published digits.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		name string
		got  *big.Float
		want string
	}{
		{"exp 1", Exp(1), "2.71828182845904523536028747135266249775724709369995957496697"},
		{"exp -700", Exp(-700), "9.85967654375977085670537294784946510511560018140094171058647e-305"},
		{"2^0.5", Exp2(.5), "1.41421356237309504880168872420969807856967187537694807317668"},
		{"2^-1030.5", Exp2(-1030.5), "6.14595630465374474698920060518809294553173403889545076114668e-311"},
		{"log 10", Log(10), "2.30258509299404568401799145468436420760110148862877297603333"},
		{"log2 10", Log2(10), "3.32192809488736234787031942948939017586483139302458061205476"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, precision, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		d := newFloat(0).Sub(c.got, want)
		d.Quo(d, want)
		if e, _ := d.Abs(d).Float64(); e > 1e-39 {
			t.Errorf("%s = %.45g, want %.45g", c.name, c.got, want)
		}
	}
}
