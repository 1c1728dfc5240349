package emd

import (
	"context"
	"math"
	"math/bits"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pair"
)

const (
	maxInsertion    = 32             // maximum number of samples sorted only by insertion sort
	movesPerSample  = 4              // after radix passes: maximum number of moves per sample in the insertion sort
	maxCellBits     = 12             // maximum number of bits of a cell index per radix pass
	maxCellSamples  = 1 << 24        // maximum number of samples sorted into cells (intervals of equal width)
	keyBits         = 11             // number of key bits per radix pass
	upperShift      = 64 - 3*keyBits // lowest bit of a key that three radix passes use
	movesPerCheck   = 1 << 20        // insertion moves between two checks of the context
	samplesPerCheck = 1 << 16        // samples between two checks of the context
)

// sorter sorts the samples of one side of a problem on a line.
type sorter struct {
	keys, otherKeys       []uint64
	indices, otherIndices []int32
	counts                []uint32
}

// keyOf maps x to an integer key. The keys have the same order as the numbers.
func keyOf(x float64) uint64 {
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// valueOf is the inverse of keyOf.
func valueOf(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}

// indexNotFinite returns the index of the first NaN or infinity in z, or −1.
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

// sortSamples returns the sorted keys of z. If withIndices is set, it also returns the index in z of each key; equal keys
// keep their order. The slices belong to s.
func sortSamples[T dist.Float](ctx context.Context, s *sorter, z []T, withIndices bool) (keys []uint64, indices []int32, err error) {
	n := len(z)
	grow(&s.keys, n)
	grow(&s.otherKeys, n)
	s.indices = s.indices[:0]
	if withIndices {
		grow(&s.indices, n)
		grow(&s.otherIndices, n)
	}
	least, most := ^uint64(0), uint64(0)
	for at := 0; at < n; at += samplesPerCheck {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		z := z[at:min(n, at+samplesPerCheck)]
		keys := s.keys[at:][:len(z)]
		for i, x := range z {
			key := keyOf(float64(x))
			keys[i], least, most = key, min(least, key), max(most, key)
		}
		for i := range s.indices[min(at, len(s.indices)):min(at+samplesPerCheck, len(s.indices))] {
			s.indices[at+i] = int32(at + i)
		}
	}
	err = s.sort(ctx, least, most)
	if withIndices {
		indices = s.indices
	}
	return s.keys, indices, err
}

// sort sorts s.keys and reorders s.indices in the same way. All keys are in the interval [least,
// most].
func (s *sorter) sort(ctx context.Context, least, most uint64) error {
	n := len(s.keys)
	if n <= maxInsertion {
		_, err := s.insertionSort(ctx, n*n)
		return err
	}
	if span := valueOf(most) - valueOf(least); n <= maxCellSamples {
		digitBits := min(maxCellBits, (bits.Len(uint(n))+6)/2)
		scale := float64(uint64(1)<<(2*digitBits)-1) / span
		// The scale is 0 if the span overflows, and infinite if the span is tiny.
		if scale > 0 && scale <= math.MaxFloat64 {
			if err := s.sortCells(ctx, valueOf(least), scale, digitBits); err != nil {
				return err
			}
			if done, err := s.insertionSort(ctx, movesPerSample*n); done || err != nil {
				return err
			}
			// If a few cells contain most samples, the insertion sort gives up. Sort by the upper bits of the keys instead.
		}
	}
	if err := s.sortKeys(ctx, upperShift); err != nil {
		return err
	}
	if done, err := s.insertionSort(ctx, movesPerSample*n); done || err != nil {
		return err
	}
	// If many keys have the same upper bits, the insertion sort gives up. Sort by all bits.
	return s.sortKeys(ctx, 0)
}

// cellOf returns the cell of a key. The span of the samples is divided into cells of equal width.
func cellOf(key uint64, low, scale float64) int { return int((valueOf(key) - low) * scale) }

// sortCells sorts the keys by cell in two radix passes. digitBits is the number of bits per pass.
func (s *sorter) sortCells(ctx context.Context, low, scale float64, digitBits int) error {
	grow(&s.counts, 2<<digitBits)
	clear(s.counts)
	lower, upper := s.counts[:1<<digitBits], s.counts[1<<digitBits:]
	mask := 1<<digitBits - 1
	n := len(s.keys)
	for at := 0; at < n; at += samplesPerCheck {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, key := range s.keys[at:min(n, at+samplesPerCheck)] {
			c := cellOf(key, low, scale)
			lower[c&mask]++
			upper[c>>digitBits&mask]++
		}
	}
	for pass, count := range [2][]uint32{lower, upper} {
		replaceByPrefixSums(count)
		shift := pass * digitBits
		for at := 0; at < n; at += samplesPerCheck {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			keys, dst := s.keys[at:min(n, at+samplesPerCheck)], s.otherKeys
			if len(s.indices) == 0 {
				for _, key := range keys {
					to := &count[cellOf(key, low, scale)>>shift&mask]
					dst[*to] = key
					*to++
				}
				continue
			}
			for i, key := range keys {
				to := &count[cellOf(key, low, scale)>>shift&mask]
				dst[*to], s.otherIndices[*to] = key, s.indices[at+i]
				*to++
			}
		}
		s.swapBuffers()
	}
	return nil
}

// sortKeys sorts the keys by their highest 64 − shift bits.
func (s *sorter) sortKeys(ctx context.Context, shift int) error {
	passes := (64 - shift + keyBits - 1) / keyBits
	grow(&s.counts, passes<<keyBits)
	clear(s.counts)
	const mask = 1<<keyBits - 1
	n := len(s.keys)
	for at := 0; at < n; at += samplesPerCheck {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, key := range s.keys[at:min(n, at+samplesPerCheck)] {
			key >>= shift
			for pass := range passes {
				s.counts[pass<<keyBits|int(key&mask)]++
				key >>= keyBits
			}
		}
	}
	for pass := range passes {
		count := s.counts[pass<<keyBits:][:1<<keyBits]
		if replaceByPrefixSums(count) == n {
			continue // all keys have the same digit
		}
		shift := shift + pass*keyBits
		for at := 0; at < n; at += samplesPerCheck {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			keys, dst := s.keys[at:min(n, at+samplesPerCheck)], s.otherKeys
			if len(s.indices) == 0 {
				for _, key := range keys {
					to := &count[key>>shift&mask]
					dst[*to] = key
					*to++
				}
				continue
			}
			for i, key := range keys {
				to := &count[key>>shift&mask]
				dst[*to], s.otherIndices[*to] = key, s.indices[at+i]
				*to++
			}
		}
		s.swapBuffers()
	}
	return nil
}

// replaceByPrefixSums replaces each count by the sum of the counts before it and returns the largest count.
func replaceByPrefixSums(count []uint32) int {
	sum, largest := uint32(0), uint32(0)
	for i, c := range count {
		count[i] = sum
		sum += c
		largest = max(largest, c)
	}
	return int(largest)
}

// swapBuffers exchanges keys with otherKeys, and indices with otherIndices.
func (s *sorter) swapBuffers() {
	s.keys, s.otherKeys = s.otherKeys, s.keys
	if len(s.indices) > 0 {
		s.indices, s.otherIndices = s.otherIndices, s.indices
	}
}

// insertionSort sorts the keys by insertion and reports whether they are sorted. It gives up after the given number of moves.
func (s *sorter) insertionSort(ctx context.Context, moves int) (sorted bool, err error) {
	n := len(s.keys)
	last, next := s.keys[0], moves-movesPerCheck
	for at := 1; at < n; at += samplesPerCheck {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for i := at; i < min(n, at+samplesPerCheck); i++ {
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
			if len(s.indices) > 0 {
				index := s.indices[i]
				copy(s.indices[j+1:i+1], s.indices[j:i])
				s.indices[j] = index
			}
			switch moves -= i - j; {
			case moves < 0:
				return false, nil
			case moves < next:
				if ctx.Err() != nil {
					return false, context.Cause(ctx)
				}
				next = moves - movesPerCheck
			}
		}
	}
	return true, nil
}
