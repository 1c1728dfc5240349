package dataset

import "io"

// aheadReader reads and unpacks a file in a goroutine while the caller decodes earlier blocks.
// Reader.Close ends the goroutine.
type aheadReader struct {
	r       io.Reader
	direct  int         // bytes left to read before the goroutine starts
	full    chan extent // nil until the goroutine starts
	free    chan []byte
	stop    chan struct{}
	current extent
	used    int // number of bytes of current that Read has returned
}

// extent is a block of a file, and the error of the Read call that returned the block.
type extent struct {
	bytes []byte
	err   error
}

const (
	extents     = 4
	extentBytes = 1 << 18 // all extents together fit in the second-level cache
)

func newAheadReader(r io.Reader) *aheadReader { return &aheadReader{r: r, direct: 4 * extentBytes} }

func (a *aheadReader) Read(p []byte) (int, error) {
	if a.full == nil {
		if a.direct > 0 {
			n, err := a.r.Read(p)
			a.direct -= n
			return n, err
		}
		a.start()
	}
	for a.used == len(a.current.bytes) {
		if a.current.err != nil {
			return 0, a.current.err
		}
		a.free <- a.current.bytes
		a.current, a.used = <-a.full, 0
	}
	n := copy(p, a.current.bytes[a.used:])
	a.used += n
	return n, nil
}

func (a *aheadReader) start() {
	full, free, stop := make(chan extent, 1), make(chan []byte, extents), make(chan struct{})
	for range extents - 1 {
		free <- make([]byte, extentBytes)
	}
	a.full, a.free, a.stop = full, free, stop
	a.current.bytes, a.used = make([]byte, extentBytes), extentBytes
	go func(r io.Reader) {
		for {
			var e extent
			select {
			case e.bytes = <-free:
			case <-stop:
				return
			}
			var n int
			n, e.err = r.Read(e.bytes[:extentBytes]) // io.ReadFull would wait for a full block from a slow pipe
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

// Close ends the goroutine after its current read.
func (a *aheadReader) Close() error {
	if a.stop != nil {
		close(a.stop)
		a.stop = nil
	}
	return nil
}
