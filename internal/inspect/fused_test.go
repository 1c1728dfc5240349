package inspect

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
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
)

// machines are those whose compiler fuses x*y + z.
var machines = map[string][]string{
	"arm64":    {"GOARCH=arm64"},
	"riscv64":  {"GOARCH=riscv64"},
	"ppc64le":  {"GOARCH=ppc64le"},
	"s390x":    {"GOARCH=s390x"},
	"amd64/v3": {"GOARCH=amd64", "GOAMD64=v3"},
}

// root is the folder of the root module.
const root = "../.."

// exact are the packages whose results are the same bits on every machine, by the folders of their
// modules.
var exact = map[string][]string{
	root: {
		"./dist", "./emd", "./search", "./sinkhorn", "./vecmath", "./wda", "./wda/baseline", "./wda/dataset",
		"./internal/algebra", "./internal/asm/...", "./internal/dense", "./internal/descent", "./internal/discriminant", "./internal/gibbs", "./internal/knn", "./internal/matrix", "./internal/nearest", "./internal/projection", "./internal/quantize", "./internal/random", "./internal/simplex", "./internal/stiefel", "./internal/subspace",
	},
	root + "/experiments": {"./baselines", "./tsne"},
}

// fused is an instruction that rounds once, as -S lists it: the innermost line of inlined
// code, and the name.
var fused = regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\t(V?W?FN?M(?:ADD|SUB|A[DS]B|S[DS]B)[A-Z0-9]*)\t`)

// memory begins a line that counts bytes, to compare them with a limit: integers, exact.
var memory = regexp.MustCompile(`^(elements |need := |return kernel\.Bytes\(\)|if err := s\.settings\.afford\(|if kernel\.N\(\) > 0 && kernel\.M\(\) > 0 && s\.own\.bytes\(\))`)

// counts are functions that count bytes, to compare them with a limit. Their numbers are
// integers, so that no rounding takes place. asmtest.Gamma is a bound that tests compare
// with.
var counts = []string{"Kernel.Bytes", "solver.release", "Gamma"}

// TestNoBareSums: the text has no sum of a product that is not rounded. It reads what this
// machine compiles; TestNothingFused reads what the compiler makes for others.
func TestNoBareSums(t *testing.T) {
	t.Parallel()
	for _, s := range findSums(loadAll(t)) {
		if !slices.Contains(counts, s.Function) {
			t.Errorf("%v: use num.FMA, or round the product by a conversion", s)
		}
	}
}

// TestNoLibm: nothing between data and result uses functions of package math whose last bits
// differ between machines. Packages that make tables for kernels, or judge kernels, may, and
// so may PrincipalAngles, which is for tests. Instead there are internal/asm/exp and num.Log,
// math.Sqrt, random.Normal, and a series for cosines in wda/dataset.
func TestNoLibm(t *testing.T) {
	t.Parallel()
	beside := regexp.MustCompile(`internal/asm/(asmtest|exp/oracle)/|internal/stiefel/\w+\.go:[0-9:]+ math\.Atan2$`)
	for _, use := range findLibm(loadAll(t)) {
		if !beside.MatchString(filepath.ToSlash(use)) {
			t.Error(use)
		}
	}
}

// loadExact reads and type-checks the packages once for all tests. The short form has those of the root
// module: others have many dependencies.
var loadExact = sync.OnceValues(func() (all []*goPackage, err error) {
	for dir, patterns := range exact {
		if dir == root || testdata.IsLong() {
			packages, err := loadPackages(dir, patterns...)
			if err != nil {
				return nil, err
			}
			all = append(all, packages...)
		}
	}
	return all, nil
})

func loadAll(t *testing.T) []*goPackage {
	t.Helper()
	packages, err := loadExact()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 20 {
		t.Errorf("only %d packages were read", len(packages))
	}
	return packages
}

// TestNothingFused: a product and a sum are one instruction only where the text says FMA.
// It compiles the packages for five machines and reads the instructions.
func TestNothingFused(t *testing.T) {
	testdata.Long(t)
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		t.Run(name, func(t *testing.T) {
			var out []byte
			for module, packages := range exact {
				cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
				cmd.Dir = module
				cmd.Env = append(os.Environ(), append(machines[name], "CGO_ENABLED=0")...)
				text, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", module, err, text[max(0, len(text)-2000):])
				}
				out = append(out, text...)
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
