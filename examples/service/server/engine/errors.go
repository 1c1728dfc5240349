package engine

import (
	"context"
	"errors"

	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"google.golang.org/grpc/codes"
)

// What the service itself refuses. Data that are wrong are errors of wda and sinkhorn.
var (
	ErrBusy         = errors.New("the queue is full, try again later")
	ErrTooLarge     = errors.New("the request exceeds a limit")
	ErrMalformed    = errors.New("malformed request")
	ErrNoClassifier = errors.New("the model holds no samples to classify by: fit with --k")
	ErrToken        = errors.New("no or another bearer token")
	errPanic        = errors.New("internal error")
)

// errorCodes says what an error is to a client. HTTP has its own numbers for these codes.
var errorCodes = []struct {
	err  error
	code codes.Code
}{
	{ErrBusy, codes.Unavailable},
	{ErrTooLarge, codes.ResourceExhausted},
	{ErrNoClassifier, codes.FailedPrecondition},
	{ErrToken, codes.Unauthenticated},
	{context.DeadlineExceeded, codes.DeadlineExceeded},
	{context.Canceled, codes.Canceled},
	{ErrMalformed, codes.InvalidArgument},
	{wda.ErrShape, codes.InvalidArgument},
	{wda.ErrNotFinite, codes.InvalidArgument},
	{sinkhorn.ErrShape, codes.InvalidArgument},
	{sinkhorn.ErrNotFinite, codes.InvalidArgument},
	{sinkhorn.ErrMarginals, codes.InvalidArgument},
	{sinkhorn.ErrSettings, codes.InvalidArgument},
	{sinkhorn.ErrRange, codes.InvalidArgument},
}

// Code returns the code of an error: OK of nil, Internal of one that nobody has foreseen.
func Code(err error) codes.Code {
	if err == nil {
		return codes.OK
	}
	for _, e := range errorCodes {
		if errors.Is(err, e.err) {
			return e.code
		}
	}
	return codes.Internal
}
