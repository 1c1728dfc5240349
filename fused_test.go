package monge_test

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// machines whose compiler fuses x*y + z, also across statements and inlined functions,
// unless the product is rounded by a conversion: which is why this test reads what the
// compiler has made, not the text.
var machines = map[string][]string{
	"arm64":    {"GOARCH=arm64"},
	"riscv64":  {"GOARCH=riscv64"},
	"ppc64le":  {"GOARCH=ppc64le"},
	"s390x":    {"GOARCH=s390x"},
	"amd64/v3": {"GOARCH=amd64", "GOAMD64=v3"},
}

// exact are the packages whose results are the same bits on every machine.
var exact = []string{
	"./dist", "./sinkhorn", "./wda", "./wda/baseline", "./wda/dataset",
	"./internal/algebra", "./internal/asm/...", "./internal/dense", "./internal/descent", "./internal/knn", "./internal/matrix", "./internal/random", "./internal/stiefel", "./internal/subspace",
}

// fused is an instruction that rounds once, as -S lists it: the innermost line of inlined
// code, and the name.
var fused = regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\t(V?W?FN?M(?:ADD|SUB|A[DS]B|S[DS]B)[A-Z0-9]*)\t`)

// memory begins a line that counts bytes, to compare them with a limit: integers, exact.
var memory = regexp.MustCompile(`^(elements |need := |return geo\.bytes\(\)|if err := s\.settings\.afford\()`)

// libm are functions whose last bits differ between machines, for some of which package
// math has assembly. What takes their place: internal/asm/exp and num.Log, with hypotenuses
// by math.Sqrt, which is exact as FMA is, normal deviates by random.Normal, and cosines by
// the series in wda/dataset.
var libm = regexp.MustCompile(`\bmath\.(A?(Cos|Sin|Tan)h?|Atan2|Cbrt|Erf\w*|Exp2?|Expm1|Gamma|Hypot|J\w+|Lgamma|Log|Log10|Log1p|Log2|Pow|Sincos|Y\w+)\(|\.(Norm|Exp)Float64\(`)

// TestNoLibm: nothing between data and result asks libm. Packages that make tables for
// kernels, or judge them, may.
func TestNoLibm(t *testing.T) {
	beside := regexp.MustCompile(`internal/asm/(asmtest|exp/gencoef|exp/oracle)$`)
	out, err := exec.Command("go", append([]string{"list", "-f", "{{range .GoFiles}}{{$.Dir}}\t{{.}}\n{{end}}"}, exact...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.Lines(string(out)) {
		dir, name, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || beside.MatchString(filepath.ToSlash(dir)) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		read++
		for i, l := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(l, "//")
			if f := libm.FindString(code); f != "" && !strings.Contains(code, "math.Atan2(m.svd.Values") { // PrincipalAngles, for tests
				t.Errorf("%s:%d: %s…)", filepath.Join(dir, name), i+1, f)
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

// TestNothingFused: a product and a sum are one instruction only where the text says
// FMA. Unless MONGE_LONG=1, only arm64 is compiled for.
func TestNothingFused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		if !testdata.IsLong() && name != "arm64" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, exact...)...)
			cmd.Env = append(os.Environ(), append(machines[name], "CGO_ENABLED=0")...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out[max(0, len(out)-2000):])
			}
			texts, wrong, calls := map[string][]string{}, map[string]bool{}, 0
			lines := bufio.NewScanner(bytes.NewReader(out))
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				m := fused.FindStringSubmatch(lines.Text())
				if m == nil {
					continue
				}
				file := m[1]
				if texts[file] == nil {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					texts[file] = strings.Split(string(text), "\n")
				}
				line, _ := strconv.Atoi(m[2])
				switch text := strings.TrimSpace(texts[file][line-1]); {
				case strings.Contains(text, "FMA("):
					calls++
				case !memory.MatchString(text):
					wrong[filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file)+":"+m[2]+": "+m[3]+" in "+text] = true
				}
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			if calls == 0 {
				t.Error("not one fused instruction was recognized, not even those of math.FMA")
			}
			for _, w := range slices.Sorted(maps.Keys(wrong)) {
				t.Error(w)
			}
		})
	}
}
