package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

const rootPath = "github.com/gomonge/monge"

// published lists the folders of the modules that programs import or users install. A module comes
// after the modules that it requires. Before a release, the go.mod files have replace directives
// for the modules of this repository.
var published = []string{".", "internal/picture", "wda/dataset/columnar", "cmd", "beam", "examples/service"}

// publish prepares the published modules for the given version. In their go.mod files, it changes
// replace directives to requirements of the version, because "go install" rejects replace
// directives. It adds the checksums of the version to the go.sum files. It also writes the modules
// into the folder proxy, for use with GOPROXY=file://proxy.
func publish(version, root, proxy string) error {
	sums := map[string]string{} // the lines in go.sum of every module
	for _, dir := range published {
		m := module.Version{Path: path.Join(rootPath, dir), Version: version}
		if err := requireVersion(filepath.Join(root, dir), version, sums); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		lines, err := writeModule(m, root, dir, proxy)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		sums[m.Path] = lines
	}
	return nil
}

// requireVersion edits the module in the folder dir. It turns every replace directive in go.mod into a
// requirement for the given version, and adds the checksums to go.sum.
func requireVersion(dir, version string, sums map[string]string) error {
	goMod, goSum := filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")
	text, err := exec.Command("go", "mod", "edit", "-json", goMod).Output()
	if err != nil {
		return err
	}
	var file struct {
		Replace []struct{ Old module.Version }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	if len(file.Replace) == 0 {
		return nil
	}
	sum, err := os.ReadFile(goSum)
	if err != nil {
		return err
	}
	lines := string(sum)
	for _, r := range file.Replace {
		name := r.Old.Path
		if sums[name] == "" {
			return fmt.Errorf("%s is replaced, and is not published before it", name)
		}
		if out, err := exec.Command("go", "mod", "edit", "-dropreplace="+name, "-require="+name+"@"+version, goMod).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		lines += sums[name]
	}
	sorted := slices.Collect(strings.Lines(lines))
	slices.SortStableFunc(sorted, func(a, b string) int {
		x, y := strings.Fields(a), strings.Fields(b)
		if c := strings.Compare(x[0], y[0]); c != 0 {
			return c
		}
		v, w := strings.TrimSuffix(x[1], "/go.mod"), strings.TrimSuffix(y[1], "/go.mod")
		if c := semver.Compare(v, w); c != 0 {
			return c
		}
		return strings.Compare(x[1], y[1])
	})
	return os.WriteFile(goSum, []byte(strings.Join(sorted, "")), 0o666)
}

// moduleFile is a file of a module. name is its path in the module, and disk is its path on disk.
type moduleFile struct{ name, disk string }

func (f moduleFile) Path() string                 { return f.name }
func (f moduleFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.disk) }
func (f moduleFile) Open() (io.ReadCloser, error) { return os.Open(f.disk) }

// writeModule adds the module in the folder root/dir to the module proxy in the folder proxy. It
// returns the go.sum lines of the module. Like the go command, it includes the files that git tracks. A module
// without a license gets the license of the repository.
func writeModule(m module.Version, root, dir, proxy string) (sums string, err error) {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("git", "ls-files", "-z", "--", ".")
	cmd.Dir = filepath.Join(root, dir)
	list, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	var files []zip.File
	licensed := false
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		files = append(files, moduleFile{name, filepath.Join(root, dir, name)})
		licensed = licensed || name == "LICENSE"
	}
	if !licensed {
		files = append(files, moduleFile{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	at := func(ext string) string { return filepath.Join(folder, m.Version+ext) }
	out, err := os.Create(at(".zip"))
	if err != nil {
		return "", err
	}
	if err := zip.Create(out, m, files); err != nil {
		return "", err
	}
	if err := out.Close(); err != nil {
		return "", err
	}
	goMod := filepath.Join(root, dir, "go.mod")
	text, err := os.ReadFile(goMod)
	if err != nil {
		return "", err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(at(".mod"), text, 0o666); err != nil {
		return "", err
	}
	if err := os.WriteFile(at(".info"), info, 0o666); err != nil {
		return "", err
	}
	versions, err := os.OpenFile(filepath.Join(folder, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(versions, m.Version); err != nil {
		return "", err
	}
	if err := versions.Close(); err != nil {
		return "", err
	}
	whole, err := dirhash.HashZip(at(".zip"), dirhash.Hash1)
	if err != nil {
		return "", err
	}
	requirements, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(goMod) })
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", m.Path, m.Version, whole, requirements), nil
}
