package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"google.golang.org/grpc/codes"
)

// Errors of the service. Errors in the data come from wda, sinkhorn and emd.
var (
	ErrBusy         = errors.New("the service is busy, try again later: the queue is full")
	ErrWaited       = errors.New("the service is busy, try again later: the request has waited too long for its turn")
	ErrRequests     = errors.New("the service is busy, try again later: too many requests are in progress")
	ErrTooLarge     = errors.New("the request exceeds a limit")
	ErrMalformed    = errors.New("malformed request")
	ErrMediaType    = errors.New("unsupported media type")
	ErrSlow         = fmt.Errorf("%w: the body did not come in time", ErrMalformed)
	ErrNoClassifier = errors.New("the model holds no samples to classify by: fit it with --k")
	ErrNoNames      = errors.New("the model has no column names: send rows as arrays of numbers, or fit it to a table with names")
	ErrToken        = errors.New("the bearer token is missing or wrong: send the header Authorization: Bearer TOKEN")
	errPanic        = errors.New("internal error")
)

// errorCodes lists the gRPC codes of errors. Package httpapi translates the codes to HTTP statuses.
var errorCodes = []struct {
	err  error
	code codes.Code
}{
	{ErrBusy, codes.Unavailable},
	{ErrWaited, codes.Unavailable},
	{budget.ErrFull, codes.Unavailable},
	{budget.ErrExceeded, codes.ResourceExhausted},
	{ErrRequests, codes.Unavailable},
	{ErrTooLarge, codes.ResourceExhausted},
	{ErrNoClassifier, codes.FailedPrecondition},
	{ErrNoNames, codes.FailedPrecondition},
	{ErrToken, codes.Unauthenticated},
	{context.DeadlineExceeded, codes.DeadlineExceeded},
	{context.Canceled, codes.Canceled},
	{ErrMalformed, codes.InvalidArgument},
	{ErrMediaType, codes.InvalidArgument},
	{wda.ErrShape, codes.InvalidArgument},
	{wda.ErrNotFinite, codes.InvalidArgument},
	{sinkhorn.ErrShape, codes.InvalidArgument},
	{sinkhorn.ErrNotFinite, codes.InvalidArgument},
	{sinkhorn.ErrMarginals, codes.InvalidArgument},
	{sinkhorn.ErrSettings, codes.InvalidArgument},
	{sinkhorn.ErrRange, codes.InvalidArgument},
	{emd.ErrMarginals, codes.InvalidArgument},
	{emd.ErrRange, codes.InvalidArgument},
}

// Code returns the gRPC code of an error: OK for nil, Internal for an unknown error.
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
