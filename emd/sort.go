package emd

import (
	"context"
	"math"
	"math/bits"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pair"
)

const (
	insertionMost = 32              // samples up to which insertion sorts alone
	insertionMove = 4               // moves a sample that insertion may take after other passes
	cellDigit     = 12              // most bits of a pass over cells
	cellMost      = 1 << 24         // samples up to which cells are tried
	keyDigit      = 11              // bits of a pass over keys
	upperShift    = 64 - 3*keyDigit // shift of the keys for three passes
	movePiece     = 1 << 20         // moves of insertion between two checks of the context
	piece         = 1 << 16         // samples between two checks of the context
)

// sorter is the workspace for one side of a problem on a line.
type sorter struct {
	keys, otherKeys     []uint64
	places, otherPlaces []int32
	count               []uint32
}

// keyOf maps floating-point numbers to integers of the same order.
func keyOf(x float64) uint64 {
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// valueOf is the inverse of keyOf.
func valueOf(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}

// indexNotFinite returns the index of the first NaN or infinity of z, or −1.
func indexNotFinite[T dist.Float](z []T) int {
	if sum := pair.Sum(z); sum-sum == 0 {
		return -1
	}
	for i, v := range z {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// sortSamples returns the sorted keys of z. If withPlaces is set, it also returns the index in z of each key; equal keys
// keep their order. The slices belong to s.
func sortSamples[T dist.Float](ctx context.Context, s *sorter, z []T, withPlaces bool) (keys []uint64, places []int32, err error) {
	n := len(z)
	grow(&s.keys, n)
	grow(&s.otherKeys, n)
	s.places = s.places[:0]
	if withPlaces {
		grow(&s.places, n)
		grow(&s.otherPlaces, n)
	}
	least, most := ^uint64(0), uint64(0)
	for at := 0; at < n; at += piece {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		z := z[at:min(n, at+piece)]
		keys := s.keys[at:][:len(z)]
		for i, x := range z {
			key := keyOf(float64(x))
			keys[i], least, most = key, min(least, key), max(most, key)
		}
		for i := range s.places[min(at, len(s.places)):min(at+piece, len(s.places))] {
			s.places[at+i] = int32(at + i)
		}
	}
	err = s.sort(ctx, least, most)
	if withPlaces {
		places = s.places
	}
	return s.keys, places, err
}

// sort sorts the keys, which are between least and most, and moves the places with them.
func (s *sorter) sort(ctx context.Context, least, most uint64) error {
	n := len(s.keys)
	if n <= insertionMost {
		_, err := s.insert(ctx, n*n)
		return err
	}
	if span := valueOf(most) - valueOf(least); n <= cellMost {
		digit := min(cellDigit, (bits.Len(uint(n))+6)/2)
		scale := float64(uint64(1)<<(2*digit)-1) / span
		// The scale is 0 if the span overflows, and infinite if it is tiny.
		if scale > 0 && scale <= math.MaxFloat64 {
			if err := s.sortCells(ctx, valueOf(least), scale, digit); err != nil {
				return err
			}
			if done, err := s.insert(ctx, insertionMove*n); done || err != nil {
				return err
			}
			// Most samples are in few cells.
		}
	}
	if err := s.sortKeys(ctx, upperShift); err != nil {
		return err
	}
	if done, err := s.insert(ctx, insertionMove*n); done || err != nil {
		return err
	}
	// Many samples have the same upper bits.
	return s.sortKeys(ctx, 0)
}

// cell returns the cell of a key. Cells divide the span of the samples evenly.
func cell(key uint64, low, scale float64) int { return int((valueOf(key) - low) * scale) }

// sortCells sorts the keys by their cells, in two passes of so many bits.
func (s *sorter) sortCells(ctx context.Context, low, scale float64, digit int) error {
	grow(&s.count, 2<<digit)
	clear(s.count)
	lower, upper := s.count[:1<<digit], s.count[1<<digit:]
	mask := 1<<digit - 1
	n := len(s.keys)
	for at := 0; at < n; at += piece {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, key := range s.keys[at:min(n, at+piece)] {
			c := cell(key, low, scale)
			lower[c&mask]++
			upper[c>>digit&mask]++
		}
	}
	for pass, count := range [2][]uint32{lower, upper} {
		addBefore(count)
		shift := pass * digit
		for at := 0; at < n; at += piece {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			keys, dst := s.keys[at:min(n, at+piece)], s.otherKeys
			if len(s.places) == 0 {
				for _, key := range keys {
					to := &count[cell(key, low, scale)>>shift&mask]
					dst[*to] = key
					*to++
				}
				continue
			}
			for i, key := range keys {
				to := &count[cell(key, low, scale)>>shift&mask]
				dst[*to], s.otherPlaces[*to] = key, s.places[at+i]
				*to++
			}
		}
		s.swap()
	}
	return nil
}

// sortKeys sorts the keys by their bits from shift on.
func (s *sorter) sortKeys(ctx context.Context, shift int) error {
	passes := (64 - shift + keyDigit - 1) / keyDigit
	grow(&s.count, passes<<keyDigit)
	clear(s.count)
	const mask = 1<<keyDigit - 1
	n := len(s.keys)
	for at := 0; at < n; at += piece {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, key := range s.keys[at:min(n, at+piece)] {
			key >>= shift
			for pass := range passes {
				s.count[pass<<keyDigit|int(key&mask)]++
				key >>= keyDigit
			}
		}
	}
	for pass := range passes {
		count := s.count[pass<<keyDigit:][:1<<keyDigit]
		if addBefore(count) == n {
			continue // all keys have the same digit
		}
		shift := shift + pass*keyDigit
		for at := 0; at < n; at += piece {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			keys, dst := s.keys[at:min(n, at+piece)], s.otherKeys
			if len(s.places) == 0 {
				for _, key := range keys {
					to := &count[key>>shift&mask]
					dst[*to] = key
					*to++
				}
				continue
			}
			for i, key := range keys {
				to := &count[key>>shift&mask]
				dst[*to], s.otherPlaces[*to] = key, s.places[at+i]
				*to++
			}
		}
		s.swap()
	}
	return nil
}

// addBefore replaces each count by the sum of the counts before it, and returns the largest count.
func addBefore(count []uint32) int {
	sum, largest := uint32(0), uint32(0)
	for i, c := range count {
		count[i] = sum
		sum += c
		largest = max(largest, c)
	}
	return int(largest)
}

// swap makes the other keys and places the current ones.
func (s *sorter) swap() {
	s.keys, s.otherKeys = s.otherKeys, s.keys
	if len(s.places) > 0 {
		s.places, s.otherPlaces = s.otherPlaces, s.places
	}
}

// insert sorts the keys by insertion and reports whether they are sorted. It gives up after so many moves.
func (s *sorter) insert(ctx context.Context, moves int) (sorted bool, err error) {
	n := len(s.keys)
	last, next := s.keys[0], moves-movePiece
	for at := 1; at < n; at += piece {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for i := at; i < min(n, at+piece); i++ {
			key := s.keys[i]
			if key >= last {
				last = key
				continue
			}
			j := i
			for ; j > 0 && s.keys[j-1] > key; j-- {
				s.keys[j] = s.keys[j-1]
			}
			s.keys[j] = key
			if len(s.places) > 0 {
				place := s.places[i]
				copy(s.places[j+1:i+1], s.places[j:i])
				s.places[j] = place
			}
			switch moves -= i - j; {
			case moves < 0:
				return false, nil
			case moves < next:
				if ctx.Err() != nil {
					return false, context.Cause(ctx)
				}
				next = moves - movePiece
			}
		}
	}
	return true, nil
}
