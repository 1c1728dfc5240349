package columnar

import (
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// formattedType returns the Arrow type of a Parquet column of dates, times, decimals or UUIDs. The values of these columns are
// formatted as Arrow formats values of this type. For any other column, formattedType returns nil.
func formattedType(c *schema.Column) arrow.DataType {
	switch t := c.LogicalType().(type) {
	case schema.DateLogicalType:
		return arrow.FixedWidthTypes.Date32
	case schema.TimeLogicalType:
		return map[schema.TimeUnitType]arrow.DataType{
			schema.TimeUnitMillis: arrow.FixedWidthTypes.Time32ms, schema.TimeUnitMicros: arrow.FixedWidthTypes.Time64us, schema.TimeUnitNanos: arrow.FixedWidthTypes.Time64ns,
		}[t.TimeUnit()]
	case schema.TimestampLogicalType:
		unit, ok := map[schema.TimeUnitType]arrow.TimeUnit{
			schema.TimeUnitMillis: arrow.Millisecond, schema.TimeUnitMicros: arrow.Microsecond, schema.TimeUnitNanos: arrow.Nanosecond,
		}[t.TimeUnit()]
		if !ok {
			return nil
		}
		zone := ""
		if t.IsAdjustedToUTC() || t.IsFromConvertedType() {
			zone = "UTC"
		}
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}
	case schema.DecimalLogicalType:
		return &arrow.Decimal256Type{Precision: t.Precision(), Scale: t.Scale()}
	case schema.UUIDLogicalType:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}
	}
	return nil
}

// formatValues calls visit with the text of each of the first n values. The column must have a formattedType.
func (l *leaf) formatValues(n int, visit func([]byte)) {
	if uuids, ok := l.reader.([]parquet.FixedLenByteArray); ok && formattedType(l.column).ID() == arrow.FIXED_SIZE_BINARY {
		for _, v := range uuids[:n] {
			h := hex.EncodeToString(v)
			visit([]byte(strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")))
		}
		return
	}
	b := array.NewBuilder(memory.DefaultAllocator, formattedType(l.column))
	defer b.Release()
	for i := range n {
		var whole int64
		switch v := l.reader.(type) {
		case []int32:
			whole = int64(v[i])
		case []int64:
			whole = v[i]
		}
		switch b := b.(type) {
		case *array.Date32Builder:
			b.Append(arrow.Date32(whole))
		case *array.Time32Builder:
			b.Append(arrow.Time32(whole))
		case *array.Time64Builder:
			b.Append(arrow.Time64(whole))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(whole))
		case *array.Decimal256Builder:
			switch v := l.reader.(type) {
			case []parquet.FixedLenByteArray:
				b.Append(decimalFromBigEndian(v[i]))
			case []parquet.ByteArray:
				b.Append(decimalFromBigEndian(v[i]))
			default:
				b.Append(decimal256.FromI64(whole))
			}
		}
	}
	a := b.NewArray()
	defer a.Release()
	for i := range n {
		visit([]byte(a.ValueStr(i)))
	}
}

// decimalFromBigEndian decodes a big-endian integer in two's complement.
func decimalFromBigEndian(b []byte) decimal256.Num {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return decimal256.FromBigInt(v)
}
