"""Checks that no kernel of an explained model is predicted above the roof: check-roof.py JSON."""
import json
import sys

model = json.load(open(sys.argv[1], encoding="utf-8"))
peak = model["machine"]["flops_per_second"]
masked = 0
for entry in model["entries"]:
    for launch in entry["launches"]:
        assert launch["kept_flops"] <= launch["flops"]
        masked += "mask" in launch and launch["kept_flops"] < 0.6 * launch["flops"]
    for kernel in entry["kernels"]:
        assert kernel["kept_flops"] <= peak * kernel["predicted"]["seconds"], kernel
assert masked
