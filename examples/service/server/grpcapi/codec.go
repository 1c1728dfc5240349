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

// received is a message that is about to be decoded.
type received struct {
	message proto.Message
	share   *budget.Share
	rows    int   // limit of the messages in a repeated field of message
	refused error // why the message was not decoded
}

// codec is the codec of protobuf messages. It refuses to decode a received message that would take more
// memory than the budget has: a message of 8 MB may consist of four million empty messages.
type codec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*received)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	wire := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer wire.Free()
	if in.refused = in.take(wire.ReadOnlyData()); in.refused != nil {
		return nil // gRPC would answer an error with the code Internal
	}
	return proto.Unmarshal(wire.ReadOnlyData(), in.message)
}

// take takes the memory of the message, which is not yet decoded, from the budget.
func (in *received) take(wire []byte) error {
	d := in.message.ProtoReflect().Descriptor()
	for number, count := range countMessages(d, wire) {
		if count > in.rows {
			return fmt.Errorf("%w: the request has %d %s, %d are allowed", engine.ErrTooLarge, count, d.Fields().ByNumber(number).Name(), in.rows)
		}
	}
	return in.share.Take(int64(len(wire)) + decodedSize(d, wire, 0))
}

// fields calls f for the fields of a message until f returns false or the message ends or is malformed, which
// proto.Unmarshal finds.
func fields(wire []byte, f func(number protowire.Number, kind protowire.Type, value []byte) bool) {
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
	fields(wire, func(number protowire.Number, _ protowire.Type, _ []byte) bool {
		if fd := d.Fields().ByNumber(number); fd != nil && fd.IsList() && fd.Message() != nil {
			count[number]++
		}
		return true
	})
	return count
}

// Upper bounds of bytes on a 64-bit machine: a message with its pointer in a list, an entry of a map with its
// share of empty buckets, and a list that grows to twice of what it needs.
const (
	messageBytes = 160
	entryBytes   = 200
	growth       = 2
	deepest      = 100
)

// decodedSize returns an upper bound of the memory that a message takes when it is decoded.
func decodedSize(d protoreflect.MessageDescriptor, wire []byte, depth int) int64 {
	size := int64(messageBytes)
	if depth > deepest { // no message of the service is as deep
		return size + messageBytes*int64(len(wire))
	}
	fields(wire, func(number protowire.Number, kind protowire.Type, value []byte) bool {
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
			count := len(value) // of the shortest varints
			switch fd.Kind() {
			case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
				count /= 8
			case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
				count /= 4
			}
			size += 8 * growth * int64(count)
		default: // text, or an unknown field that is kept as it is
			size += 32*growth + int64(len(value))
		}
		return true
	})
	return size
}
