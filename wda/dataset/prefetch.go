package dataset

import (
	"io"
	"os"
)

// prefetch reads a file sequentially and asks the system to fetch the next bytes from the disk. On
// most machines, Linux reads only 128 KiB ahead, which leaves the disk idle while the program
// decodes.
type prefetch struct {
	r            io.Reader // reader of file, positioned at offset
	file         *os.File
	offset, told int64 // offsets of the next Read and of the next byte to fetch
}

// prefetch returns a reader that reads from r. The reader r starts at the given offset in the
// source. If the source is a file on a disk, the returned reader also prefetches.
func (s *source) prefetch(r io.Reader, offset int64) io.Reader {
	if s.disk == nil {
		return r
	}
	return &prefetch{r: r, file: s.disk, offset: s.diskOffset + offset, told: s.diskOffset + offset}
}

func (p *prefetch) Read(b []byte) (int, error) {
	const piece, far = 1 << 20, 4 << 20 // Linux may fetch only the beginning of a larger piece
	for ; p.told < p.offset+far; p.told += piece {
		willNeed(p.file, p.told, piece)
	}
	n, err := p.r.Read(b)
	p.offset += int64(n)
	return n, err
}
