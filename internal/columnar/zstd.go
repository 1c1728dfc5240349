package columnar

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

func init() {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err)
	}
	compress.RegisterCodec(compress.Codecs.Zstd, boundedZstd{codec, codec.(compress.StreamingCodec)})
}

// boundedZstd decodes no more than the size that a page declares. The library's codec makes room for
// whatever a page expands to.
type boundedZstd struct {
	compress.Codec
	compress.StreamingCodec
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true)) })

// DecodeWithError decodes src into the memory of dst.
func (boundedZstd) DecodeWithError(dst, src []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}

// Decode is DecodeWithError for callers that expect a panic.
func (c boundedZstd) Decode(dst, src []byte) []byte {
	out, err := c.DecodeWithError(dst, src)
	if err != nil {
		panic(err)
	}
	return out
}
