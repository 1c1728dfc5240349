package columnar

import (
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// The library's codecs for zstd and Snappy allocate memory for any size that a page expands to. init replaces these two
// codecs with codecs that decode at most the size that the page declares.
func init() {
	for kind, decode := range map[compress.Compression]func(dst, src []byte) ([]byte, error){
		compress.Codecs.Zstd: decodeZstd, compress.Codecs.Snappy: decodeSnappy,
	} {
		codec, err := compress.GetCodec(kind)
		if err != nil {
			panic(err)
		}
		compress.RegisterCodec(kind, boundedCodec{codec, codec.(compress.StreamingCodec), decode})
	}
}

type boundedCodec struct {
	compress.Codec
	compress.StreamingCodec
	decode func(dst, src []byte) ([]byte, error)
}

// DecodeWithError decodes src into the memory of dst.
func (c boundedCodec) DecodeWithError(dst, src []byte) ([]byte, error) { return c.decode(dst, src) }

// Decode is like DecodeWithError, but panics on an error.
func (c boundedCodec) Decode(dst, src []byte) []byte {
	out, err := c.decode(dst, src)
	if err != nil {
		panic(err)
	}
	return out
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true)) })

func decodeZstd(dst, src []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}

func decodeSnappy(dst, src []byte) ([]byte, error) {
	if n, err := snappy.DecodedLen(src); err != nil {
		return nil, err
	} else if n > len(dst) {
		return nil, fmt.Errorf("a page of %d bytes that declares %d", n, len(dst))
	}
	return snappy.Decode(dst, src)
}
