package wda

import (
	"context"
)

// pieceTask makes pieces of a comparison in another process, which makes the comparison anew.
const pieceTask = "wda.candidates"

// farChoice is what the pieces share: all that it takes to make the comparison.
type farChoice struct {
	X           *wireMatrix
	Labels      []int
	Components  int
	Standardize bool
	Start       bool // fits begin at the principal components
	Settings    wireSettings
}

// compareAway returns the comparer by the executor of the settings.
func (m *Prepared) compareAway(set *Settings) comparer {
	var shared []byte
	return func(ctx context.Context, pieces []piece) ([][][]loss, error) {
		if shared == nil {
			s, err := wiredSettings(ctx, *set)
			if err != nil {
				return nil, err
			}
			shared, err = encodeWire(farChoice{
				X: wired(ctx, m.held.trainX), Labels: m.held.trainLabels, Components: m.by.Components, Standardize: m.by.Data.Standardize, Start: m.begins, Settings: s,
			})
			if err != nil {
				return nil, err
			}
		}
		results, err := send[[][][2]float64](ctx, set.Executor, pieceTask, shared, pieces, 1)
		if err != nil {
			return nil, err
		}
		out := make([][][]loss, len(results))
		for i, r := range results {
			out[i] = make([][]loss, len(r))
			for k, l := range r {
				for _, v := range l {
					out[i][k] = append(out[i][k], loss{v[0], v[1]})
				}
			}
		}
		return out, nil
	}
}

// openPieces is the other end of compareAway.
func openPieces(ctx context.Context, shared []byte) (doer, error) {
	var f farChoice
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	set, err := f.Settings.settings()
	if err != nil {
		return nil, err
	}
	set.Workers = 1
	m, err := prepare(ctx, f.X.dense(), f.Labels, &Preparation{Components: f.Components, Data: Data{Standardize: f.Standardize}}, f.Start)
	if err != nil {
		return nil, err
	}
	c, err := newComparison(ctx, m.span, &set)
	if err != nil {
		return nil, err
	}
	return receive(func(ctx context.Context, p piece) ([][][2]float64, error) {
		losses, err := c.do(ctx, &p, 1)
		if err != nil {
			return nil, err
		}
		out := make([][][2]float64, len(losses))
		for k, l := range losses {
			for _, v := range l {
				out[k] = append(out[k], [2]float64{v.score, v.error})
			}
		}
		return out, nil
	}), nil
}
