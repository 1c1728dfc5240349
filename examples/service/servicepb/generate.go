// Package servicepb is the gRPC interface, generated from service.proto. The go:generate command
// needs protoc, protoc-gen-go and protoc-gen-go-grpc in the path. protoc is in Debian's package
// protobuf-compiler. The Python package grpcio-tools also contains protoc, as the command python3
// -m grpc_tools.protoc. Install protoc-gen-go and protoc-gen-go-grpc with
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
package servicepb

//go:generate protoc --proto_path=. --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative service.proto
