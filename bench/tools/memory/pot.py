"""Prints the megabytes that a gradient of POT's WDA needs in addition to the problem and the
samples. Usage: python pot.py FILE FEATURES COMPONENTS"""

import sys
import warnings

import numpy as np
import ot.dr

warnings.filterwarnings("ignore")
d, p = int(sys.argv[2]), int(sys.argv[3])
x = np.fromfile(sys.argv[1]).reshape(-1, d)
labels = np.arange(len(x)) * 10 // len(x)
start = np.eye(d, p)


class Found(Exception):
    pass


class Catch:
    def run(self, problem, initial_point):
        raise Found(problem)


def status(name):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(name + ":"))


try:
    ot.dr.wda(x, labels, p=p, reg=1.0, k=10, solver=Catch(), P0=start, normalize=True)
except Found as found:
    problem = found.args[0]
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")
before = status("VmHWM")
problem.euclidean_gradient(start)
print((status("VmHWM") - before) / 1e6)
