package wda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mixture is the setting for mixing candidates. If rows are few, several candidates do equally
// well on held-out rows, up to twice the standard error of the difference. A mixture of them depends
// less on the seed than the best one.
//
// With the projections P_i of k candidates, each with unit mean variance within classes, P is
//
//	P = c·(P_1 … P_k)·V
//
// where V are the p leading principal components of X·(P_1 … P_k), and c makes the mean variance
// within classes 1. The squared distance of two projected samples is therefore close to the mean
// of the k squared distances. The informative components are as many as in the member that has
// most.
//
// The zero value leaves it to Fit, which mixes up to three candidates if they are compared on fewer
// than 1000 rows. NoMixture and MixtureOf make other values. There is no mixture if Scale, Leading or
// Optimizer.Method is given, or Optimizer.Init, Validation or a matrix for λ, or if nothing is
// compared.
//
// Report.Settings of a mixture has a value that names the members. A fit with these settings
// compares nothing, and gives the same bits.
type Mixture struct {
	most    int
	members []Member // settings of those that are mixed, or nil
}

// NoMixture takes the best candidate alone.
func NoMixture() Mixture { return Mixture{most: 1} }

// MixtureOf mixes at most n candidates, for any number of rows. Fit returns ErrSettings unless n ≥ 1.
func MixtureOf(n int) Mixture {
	if n == 0 {
		n = -1 // 0 is not left open
	}
	return Mixture{most: n}
}

// IsAuto reports whether m is the zero Mixture, which leaves the choice to Fit.
func (m Mixture) IsAuto() bool { return m.most == 0 && m.members == nil }

// Members returns a copy of the candidates that are mixed, in the order of their losses: in Report.Settings, and
// in settings made of it. Their losses are left out. It is nil for other values.
func (m Mixture) Members() []Member { return slices.Clone(m.members) }

// String returns "auto", a number, or the members. These are separated by semicolons, and each has
// its whitening, method, λ, ρ, scale and number of informative components.
func (m Mixture) String() string {
	if m.IsAuto() {
		return autoText
	}
	if m.members == nil {
		return strconv.Itoa(m.most)
	}
	var out []string
	for _, c := range m.members {
		out = append(out, fmt.Sprintf("%v %v %v %v %v %d", c.Whitening, c.Method, c.Lambda, c.Shrinkage, c.Scale, c.Leading))
	}
	return strings.Join(out, "; ")
}

// MarshalText implements encoding.TextMarshaler with the text of String.
func (m Mixture) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads what String writes.
func (m *Mixture) UnmarshalText(text []byte) error {
	if string(text) == autoText {
		*m = Mixture{}
		return nil
	}
	if n, err := strconv.Atoi(string(text)); err == nil {
		t := MixtureOf(n)
		if err := t.check(); err != nil {
			return err
		}
		*m = t
		return nil
	}
	var t Mixture
	for i, part := range strings.Split(string(text), ";") {
		var c Member
		words := strings.Fields(part)
		if len(words) != 6 {
			return fmt.Errorf("%w: invalid mixture %.100q: member %d has %d words instead of 6", ErrSettings, text, i, len(words))
		}
		var err error
		if c.Method, err = ParseMethod(words[1]); err != nil {
			return err
		}
		for _, v := range []struct {
			to   interface{ UnmarshalText([]byte) error }
			from string
		}{{&c.Whitening, words[0]}, {&c.Lambda, words[2]}, {&c.Shrinkage, words[3]}, {&c.Scale, words[4]}} {
			if err := v.to.UnmarshalText([]byte(v.from)); err != nil {
				return err
			}
		}
		if c.Leading, err = strconv.Atoi(words[5]); err != nil {
			return fmt.Errorf("%w: invalid mixture %.100q: member %d has %q informative components", ErrSettings, text, i, words[5])
		}
		t.members = append(t.members, c)
	}
	if err := t.check(); err != nil {
		return err
	}
	*m = t
	return nil
}

// mixtureOf returns the mixture of these members, without their losses.
func mixtureOf(members []Member) Mixture {
	out := slices.Clone(members)
	for i := range out {
		out[i].Loss, out[i].Error, out[i].Folds = 0, 0, 0
	}
	return Mixture{members: out}
}

func (m Mixture) check() error {
	if m.most < 0 {
		return fmt.Errorf("%w: a mixture of no candidates; it must be of at least 1", ErrSettings)
	}
	if len(m.members) == 1 {
		return fmt.Errorf("%w: a mixture of one member; at least two are needed", ErrSettings)
	}
	for i, c := range m.members {
		open := c.Whitening.IsAuto() || c.Lambda.IsAuto() || c.Shrinkage.IsAuto() || c.Scale == ScaleAuto
		if stepless := c.Method.traits().stepless; open || c.Leading < 1 || !stepless && !c.Method.traits().open {
			return fmt.Errorf("%w: member %d of the mixture, %v, is none that Fit compares", ErrSettings, i, mixtureOf([]Member{c}))
		}
	}
	return nil
}
