package grpcapi

import (
	"fmt"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// received is a message before decoding.
type received struct {
	message proto.Message
	share   *budget.Share
	rows    int   // maximum length of a repeated field whose elements are messages
	refused error // reason why the message was not decoded, or nil
}

// codec is the codec of protobuf messages. It refuses to decode a message if the budget has too
// little memory for the result: a message of 8 MB may consist of four million empty messages.
type codec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*received)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	wire := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer wire.Free()
	if in.refused = in.takeMemory(wire.ReadOnlyData()); in.refused != nil {
		return nil // gRPC would replace the error by the code Internal
	}
	return proto.Unmarshal(wire.ReadOnlyData(), in.message)
}

// takeMemory takes the memory of the encoded and of the decoded message from the budget.
func (in *received) takeMemory(wire []byte) error {
	d := in.message.ProtoReflect().Descriptor()
	for number, count := range countMessages(d, wire) {
		if count > in.rows {
			return fmt.Errorf("%w: the request has %d %s, %d are allowed", engine.ErrTooLarge, count, d.Fields().ByNumber(number).Name(), in.rows)
		}
	}
	return in.share.Take(int64(len(wire)) + decodedSize(d, wire, 0))
}

// eachField calls f for the fields of a message until f returns false or the message ends. It also
// stops at a malformed field, which proto.Unmarshal reports.
func eachField(wire []byte, f func(number protowire.Number, kind protowire.Type, value []byte) bool) {
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		if n < 0 {
			return
		}
		wire = wire[n:]
		if n = protowire.ConsumeFieldValue(number, kind, wire); n < 0 || !f(number, kind, wire[:n]) {
			return
		}
		wire = wire[n:]
	}
}

// countMessages returns the number of messages in each repeated field.
func countMessages(d protoreflect.MessageDescriptor, wire []byte) map[protowire.Number]int {
	count := map[protowire.Number]int{}
	eachField(wire, func(number protowire.Number, _ protowire.Type, _ []byte) bool {
		if fd := d.Fields().ByNumber(number); fd != nil && fd.IsList() && fd.Message() != nil {
			count[number]++
		}
		return true
	})
	return count
}

// Upper bounds of decoded sizes on a 64-bit machine. messageBytes is the number of bytes of a
// message and of its pointer in a list. entryBytes is the number of bytes of a map entry, including
// a share of empty buckets. The growth factor is 2 because a list may grow to twice the needed
// size.
const (
	messageBytes = 160
	entryBytes   = 200
	growth       = 2
	deepest      = 100
)

// decodedSize returns an upper bound of the memory of a decoded message.
func decodedSize(d protoreflect.MessageDescriptor, wire []byte, depth int) int64 {
	size := int64(messageBytes)
	if depth > deepest { // the messages of the service have a smaller depth
		return size + messageBytes*int64(len(wire))
	}
	eachField(wire, func(number protowire.Number, kind protowire.Type, value []byte) bool {
		fd := d.Fields().ByNumber(number)
		switch {
		case kind != protowire.BytesType: // a number of at most eight bytes
			size += 8 * growth
		case fd != nil && fd.Message() != nil:
			value, _ = protowire.ConsumeBytes(value)
			if fd.IsMap() {
				size += entryBytes
			}
			size += decodedSize(fd.Message(), value, depth+1)
		case fd != nil && fd.IsPacked():
			value, _ = protowire.ConsumeBytes(value)
			count := len(value) // varints have at least one byte
			switch fd.Kind() {
			case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
				count /= 8
			case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
				count /= 4
			}
			size += 8 * growth * int64(count)
		default: // text, or an unknown field, which is kept unchanged
			size += 32*growth + int64(len(value))
		}
		return true
	})
	return size
}
