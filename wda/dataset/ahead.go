package dataset

import "io"

// ahead reads a file, or unpacks it, in a goroutine, while what came before is decoded and
// used. Reader.Close ends it.
type ahead struct {
	r     io.Reader
	calm  int         // bytes left to read without a goroutine: most files are short
	full  chan extent // nil before there is one
	free  chan []byte
	stop  chan struct{}
	now   extent
	given int // bytes of now
}

// extent is some of a file, and the error that follows it.
type extent struct {
	bytes []byte
	err   error
}

const (
	extents     = 4
	extentBytes = 1 << 18 // four stay in the second-level cache
)

func newAhead(r io.Reader) *ahead { return &ahead{r: r, calm: 4 * extentBytes} }

func (a *ahead) Read(p []byte) (int, error) {
	if a.full == nil {
		if a.calm > 0 {
			n, err := a.r.Read(p)
			a.calm -= n
			return n, err
		}
		a.begin()
	}
	for a.given == len(a.now.bytes) {
		if a.now.err != nil {
			return 0, a.now.err
		}
		a.free <- a.now.bytes
		a.now, a.given = <-a.full, 0
	}
	n := copy(p, a.now.bytes[a.given:])
	a.given += n
	return n, nil
}

func (a *ahead) begin() {
	full, free, stop := make(chan extent, 1), make(chan []byte, extents), make(chan struct{})
	for range extents - 1 {
		free <- make([]byte, extentBytes)
	}
	a.full, a.free, a.stop = full, free, stop
	a.now.bytes, a.given = make([]byte, extentBytes), extentBytes
	go func(r io.Reader) {
		for {
			var e extent
			select {
			case e.bytes = <-free:
			case <-stop:
				return
			}
			var n int
			n, e.err = r.Read(e.bytes[:extentBytes]) // no more than there is: of a slow pipe, too
			e.bytes = e.bytes[:n]
			select {
			case full <- e:
			case <-stop:
				return
			}
			if e.err != nil {
				return
			}
		}
	}(a.r)
}

// Close ends the goroutine, after the read that it may be in.
func (a *ahead) Close() error {
	if a.stop != nil {
		close(a.stop)
		a.stop = nil
	}
	return nil
}
