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

// fusingMachines lists the targets for which the compiler fuses x*y + z.
var fusingMachines = map[string][]string{
	"arm64":    {"GOARCH=arm64"},
	"riscv64":  {"GOARCH=riscv64"},
	"ppc64le":  {"GOARCH=ppc64le"},
	"s390x":    {"GOARCH=s390x"},
	"amd64/v3": {"GOARCH=amd64", "GOAMD64=v3"},
}

// root is the folder of the root module.
const root = "../.."

// exactPackages lists the packages whose results have the same bits on every machine, by module
// folder.
var exactPackages = map[string][]string{
	root: {
		"./dist", "./emd", "./search", "./sinkhorn", "./vecmath", "./wda", "./wda/baseline", "./wda/dataset",
		"./internal/algebra", "./internal/asm/...", "./internal/dense", "./internal/descent", "./internal/discriminant", "./internal/gibbs", "./internal/knn", "./internal/matrix", "./internal/nearest", "./internal/projection", "./internal/quantize", "./internal/random", "./internal/simplex", "./internal/stiefel", "./internal/subspace",
	},
	root + "/experiments": {"./baselines", "./tsne"},
}

// fusedInstruction matches a fused multiply-add in the compiler's output with -S. It captures the
// file and line of the innermost inlined code and the name of the instruction.
var fusedInstruction = regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\t(V?W?FN?M(?:ADD|SUB|A[DS]B|S[DS]B)[A-Z0-9]*)\t`)

// byteCountLine matches lines that compute a number of bytes for a memory limit. Byte counts are
// integers, so their sums and products are exact in float64.
var byteCountLine = regexp.MustCompile(`^(elements |need := |return kernel\.Bytes\(\)|if err := s\.settings\.afford\(|if kernel\.N\(\) > 0 && kernel\.M\(\) > 0 && s\.own\.bytes\(\))`)

// allowedFusedFunctions lists functions that may contain sums of unrounded products, which the
// compiler may fuse. Kernel.Bytes and solver.release compute a number of bytes, which is exact in
// float64. Gamma is an error bound for tests.
var allowedFusedFunctions = []string{"Kernel.Bytes", "solver.release", "Gamma"}

// TestNoBareSums checks that the source contains no sum with an unrounded product. It reads the
// files that are compiled on this machine. TestNothingFused reads the compiler's output for other
// machines.
func TestNoBareSums(t *testing.T) {
	t.Parallel()
	for _, s := range findSums(loadAll(t)) {
		if !slices.Contains(allowedFusedFunctions, s.Function) {
			t.Errorf("%v: use num.FMA, or round the product by a conversion", s)
		}
	}
}

// TestNoLibm checks that no result depends on functions of package math whose last bits differ
// between machines. It allows these functions in a package that tests kernels, in a package that
// generates tables for kernels, and in PrincipalAngles, which is only for tests. All other code uses
// internal/asm/exp, num.Log, math.Sqrt, random.Normal or the cosine series of wda/dataset.
func TestNoLibm(t *testing.T) {
	t.Parallel()
	beside := regexp.MustCompile(`internal/asm/(asmtest|exp/oracle)/|internal/stiefel/\w+\.go:[0-9:]+ math\.Atan2$`)
	for _, use := range findLibm(loadAll(t)) {
		if !beside.MatchString(filepath.ToSlash(use)) {
			t.Error(use)
		}
	}
}

// loadExactPackages loads and type-checks the packages once for all tests. The short tests load
// only the root module, because other modules have many dependencies.
var loadExactPackages = sync.OnceValues(func() (all []*goPackage, err error) {
	for dir, patterns := range exactPackages {
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
	packages, err := loadExactPackages()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 20 {
		t.Errorf("only %d packages were read", len(packages))
	}
	return packages
}

// TestNothingFused checks that the compiler emits fused instructions only where the source calls an
// FMA function. It compiles the packages for five machines and reads the instructions.
func TestNothingFused(t *testing.T) {
	testdata.Long(t)
	for _, name := range slices.Sorted(maps.Keys(fusingMachines)) {
		t.Run(name, func(t *testing.T) {
			var out []byte
			for module, packages := range exactPackages {
				cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
				cmd.Dir = module
				cmd.Env = append(os.Environ(), append(fusingMachines[name], "CGO_ENABLED=0")...)
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
				m := fusedInstruction.FindStringSubmatch(lines.Text())
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
				case !byteCountLine.MatchString(text):
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
