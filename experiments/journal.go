package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// A journal is a file of JSON lines. It begins with a header that holds the settings. Every run
// that computes cells then appends one line for its session and one line for each finished cell. A
// line is written in a single call. If the program was interrupted while writing the last line,
// that line is incomplete and is dropped.
type journal struct {
	file     *os.File
	header   header
	sessions []session
	cells    map[string]*done
	session  session // session of this run; written before its first cell
	started  bool
}

const journalName = "monge experiment, format 1"

// header contains everything that the cells depend on, except their coordinates.
type header struct {
	Journal    string    `json:"journal"`
	Experiment string    `json:"experiment"`
	Revision   int       `json:"revision"`
	Seed       uint64    `json:"seed"`
	Small      bool      `json:"small"`
	Settings   []setting `json:"settings"`
}

// session describes a run that added results (cells) to the journal.
type session struct {
	Date    string `json:"session"`
	Build   string `json:"build"`
	Machine string `json:"machine"`
	Workers int    `json:"workers"`
	// Data maps the names of the existing data files to their SHA-256.
	Data  map[string]string `json:"data,omitempty"`
	cells int
}

// JournalError reports a damaged journal, or a journal of a run with different settings or a
// different build.
type JournalError struct {
	Path string
	// Line is a line number, counted from 1. The number 0 means the whole file.
	Line int
	Err  error
	// Differences lists the differences between the run of the journal and the current run.
	Differences []string
}

func (e *JournalError) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s: line %d", e.Path, e.Line)
	}
	if len(e.Differences) > 0 {
		return fmt.Sprintf("%s: %v: %s", where, e.Err, strings.Join(e.Differences, "; "))
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

// Unwrap returns the cause.
func (e *JournalError) Unwrap() error { return e.Err }

// Causes of a JournalError.
var (
	// ErrOtherSettings means that the journal and the current run have different settings or data.
	ErrOtherSettings = errors.New("begun with other settings")
	// ErrOtherBuild means that a different build of the program computed the cells.
	ErrOtherBuild = errors.New("begun by another build")
	// ErrInUse means that another process has the journal open.
	ErrInUse = errors.New("in use by another run")
	// ErrDamaged means that the file is damaged or is not a journal.
	ErrDamaged = errors.New("not a journal of this program, or damaged")
)

// openJournal reads the journal at path, or creates it if it does not exist. The file stays open
// for appending and is locked against other processes. If fresh is true, the old contents are
// discarded.
func openJournal(path string, h header, s session, fresh, anyBuild bool) (_ *journal, err error) {
	j := &journal{header: h, cells: map[string]*done{}, session: s}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			j.file.Close()
		}
	}()
	if err := lock(j.file); err != nil {
		return nil, &JournalError{Path: path, Err: err}
	}
	var b []byte
	if !fresh {
		if b, err = io.ReadAll(j.file); err != nil {
			return nil, err
		}
	}
	whole := bytes.LastIndexByte(b, '\n') + 1
	if err := j.parse(path, b[:whole]); err != nil {
		return nil, err
	}
	if whole == 0 && len(bytes.TrimSpace(b)) > 0 && !bytes.HasPrefix(b, []byte(`{"journal":`)) {
		return nil, &JournalError{Path: path, Line: 1, Err: ErrDamaged}
	}
	for _, old := range j.sessions {
		if d := s.differences(old); d != nil {
			return nil, &JournalError{Path: path, Err: ErrOtherSettings, Differences: d}
		}
		if !anyBuild {
			if old.Build != s.Build {
				return nil, &JournalError{Path: path, Err: ErrOtherBuild, Differences: []string{fmt.Sprintf("%s, now %s", old.Build, s.Build)}}
			}
		}
	}
	if err = j.file.Truncate(int64(whole)); err == nil && whole == 0 {
		err = j.line(h)
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

func (j *journal) parse(path string, text []byte) error {
	for n, line := range bytes.Split(text, []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		damaged := func(err error) error {
			return &JournalError{Path: path, Line: n + 1, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
		}
		if n == 0 {
			var h header
			if err := json.Unmarshal(line, &h); err != nil {
				return damaged(err)
			}
			if d := j.header.differences(h); d != nil {
				return &JournalError{Path: path, Err: ErrOtherSettings, Differences: d}
			}
			continue
		}
		var kind struct {
			Session string   `json:"session"`
			Cell    []string `json:"cell"`
		}
		err := json.Unmarshal(line, &kind)
		switch {
		case err != nil:
			return damaged(err)
		case kind.Session != "":
			var s session
			if err := json.Unmarshal(line, &s); err != nil {
				return damaged(err)
			}
			j.sessions = append(j.sessions, s)
		case kind.Cell != nil && len(j.sessions) > 0:
			d := new(done)
			if err := json.Unmarshal(line, d); err != nil {
				return damaged(err)
			}
			j.cells[d.key()] = d
			j.sessions[len(j.sessions)-1].cells++
		default:
			return damaged(errors.New("neither a session nor a cell of one"))
		}
	}
	return nil
}

// differences lists the differences between h and an older header.
func (h header) differences(old header) []string {
	var all []string
	compare := func(name string, is, was any) {
		if is != was {
			all = append(all, fmt.Sprintf("%s was %v, now %v", name, was, is))
		}
	}
	compare("format", h.Journal, old.Journal)
	compare("experiment", h.Experiment, old.Experiment)
	compare("revision of the experiment", h.Revision, old.Revision)
	compare("seed", h.Seed, old.Seed)
	compare("small", h.Small, old.Small)
	is, was := map[string]string{}, map[string]string{}
	for _, s := range h.Settings {
		is[s.Name] = s.Value
	}
	for _, s := range old.Settings {
		was[s.Name] = s.Value
	}
	names := maps.Clone(is)
	maps.Copy(names, was)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, there := is[name]
		b, before := was[name]
		if !there {
			a = "absent"
		}
		if !before {
			b = "absent"
		}
		compare(name, a, b)
	}
	return all
}

// differences lists the data files that have changed. A file that is missing in one of the two
// sessions is not listed, because it does not affect the cells of other files.
func (s session) differences(old session) []string {
	var all []string
	for _, file := range slices.Sorted(maps.Keys(s.Data)) {
		if was, ok := old.Data[file]; ok && was != s.Data[file] {
			all = append(all, fmt.Sprintf("%s was another file, %s, now %s", file, shortSum(was), shortSum(s.Data[file])))
		}
	}
	return all
}

func shortSum(sum string) string { return "SHA-256 " + sum[:min(12, len(sum))] }

func (j *journal) append(d *done) error {
	if !j.started {
		if err := j.line(j.session); err != nil {
			return err
		}
		j.started = true
		j.sessions = append(j.sessions, j.session)
	}
	if err := j.line(d); err != nil {
		return err
	}
	j.sessions[len(j.sessions)-1].cells++
	return nil
}

func (j *journal) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(b, '\n'))
	return err
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
}
