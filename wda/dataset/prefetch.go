package dataset

import (
	"io"
	"os"
)

// prefetch reads some of a file from its beginning to its end, and has the system fetch from
// the disk what comes next. By itself Linux fetches 128 KiB at a time on most machines, and a
// disk is idle while these are decoded.
type prefetch struct {
	r        io.Reader // what it reads is file's from at on
	file     *os.File
	at, told int64
}

// prefetch returns a reader that starts at offset and reads ahead of r on a disk.
func (s *source) prefetch(r io.Reader, offset int64) io.Reader {
	if s.disk == nil {
		return r
	}
	return &prefetch{r: r, file: s.disk, at: s.diskOffset + offset, told: s.diskOffset + offset}
}

func (p *prefetch) Read(b []byte) (int, error) {
	const piece, far = 1 << 20, 4 << 20 // of larger pieces Linux may fetch only the beginning
	for ; p.told < p.at+far; p.told += piece {
		willNeed(p.file, p.told, piece)
	}
	n, err := p.r.Read(b)
	p.at += int64(n)
	return n, err
}
