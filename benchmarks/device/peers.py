#!/usr/bin/env python3
"""Times the cases of cases.json in PyTorch and Triton, if they are installed: peers.py CASES [RESULTS [PEER]]

Appends lines in the format of Results.h to RESULTS: the rate of cuBLAS on bf16 8192^3, and for each case the median
seconds of scaled_dot_product_attention with its flash and cuDNN backends, of FlexAttention with the same mask and
score, and of a forward pass in Triton in the style of its tutorial. A missing or failed result is a line with the
reason. Each peer runs in a separate process, so that a crash, a hang or a device error affects that peer alone. PEER
selects one.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
import warnings

# As in Measure.cpp.
LEAST_WARM_RUNS, LEAST_RUNS = 3, 5
WARM_SECONDS, TIMED_SECONDS = 0.5, 1.0


class Results:
    def __init__(self, path):
        self.path = path

    def add(self, **line):
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def missing(self, name, why):
        text = first_line(why)
        print(f"{name}: missing: {text}", flush=True)
        self.add(what="missing", name=name, why=text)


def first_line(what):
    lines = str(what).strip().splitlines()
    return lines[0] if lines else repr(what)


def reason(error, caught):
    """The reason why PyTorch did not run a case. If it rejects a backend, only its warnings contain the reason."""
    said = [re.sub(r" \(Triggered internally.*", "", first_line(each.message)) for each in caught]
    of_backend = [each for each in said if "not used because" not in each and "runtime disabled" not in each]
    return "; ".join([first_line(error), *dict.fromkeys(of_backend)])


def seconds_of_runs(torch, run, least, enough):
    """The seconds of each run; runs at least `least` times and for at least `enough` seconds in total."""
    seconds = []
    while len(seconds) < least or sum(seconds) < enough:
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return seconds


def median_seconds(torch, run, launches=1):
    """Median seconds of one launch, by the host's clock; each run ends when the device is idle. Several launches are
    captured as a graph, as attnc does."""
    run()  # compiles
    torch.cuda.synchronize()
    if launches > 1:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(launches):
                run()
        run = graph.replay
    seconds_of_runs(torch, run, LEAST_WARM_RUNS, WARM_SECONDS)
    median = statistics.median(seconds_of_runs(torch, run, LEAST_RUNS, TIMED_SECONDS)) / launches
    if not math.isfinite(median):
        raise ValueError(f"it took {median} s")
    return median


def operands(torch, case):
    """q, k and v as [batch, heads, positions, features], random, in bf16."""
    size = case["settings"]
    if case["kind"] == "decode":
        heads, kv_heads, batch, queries = size["kv_heads"] * size["group"], size["kv_heads"], size["batch"], 1
    else:
        heads, kv_heads, batch, queries = size["heads"], size["heads"], 1, size["n"]

    def draw(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
    return (draw(batch, heads, queries, size["d"]), draw(batch, kv_heads, size["n"], size["d"]),
            draw(batch, kv_heads, size["n"], size["d"]))


def grouping(q, k):
    """The argument for grouped heads, only for grouped heads: older versions of PyTorch reject it."""
    return {"enable_gqa": True} if q.shape[1] != k.shape[1] else {}


def by_sdpa(backend_name):
    def prepare(torch, case):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backend = getattr(SDPBackend, backend_name)
        q, k, v = operands(torch, case)
        causal = case["entry"] == "causal"

        def run():
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **grouping(q, k))
        return run
    return prepare


def masks_and_scores(torch, heads):
    """The masks and scores of prefill.attn, by entry point."""
    slope = torch.empty(heads, device="cuda").uniform_(0.01, 0.5)

    def causal(b, h, i, j):
        return j <= i

    def recent(b, h, i, j):
        return (j <= i) & (i - j < 1024)

    def sloped(score, b, h, i, j):
        return score - slope[h] * (i - j)

    def capped(score, b, h, i, j):
        return 20.0 * torch.tanh(score / 20.0)
    return {"whole": (None, None), "steps": (None, None), "causal": (causal, None), "recent": (recent, None),
            "sloped": (causal, sloped), "capped": (causal, capped)}


def refuse_eager():
    """Clears dynamo's cache, and makes its limits errors: a fallback to eager execution would not be FlexAttention."""
    import torch._dynamo as dynamo
    dynamo.reset()
    for name in ("fail_on_recompile_limit_hit", "fail_on_cache_limit_hit"):  # depends on the version
        if hasattr(dynamo.config, name):
            setattr(dynamo.config, name, True)


def by_flex(torch, case):
    refuse_eager()
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    q, k, v = operands(torch, case)
    mask, score = masks_and_scores(torch, q.shape[1])[case["entry"]]
    block_mask = mask and create_block_mask(mask, None, None, q.shape[2], k.shape[2], device="cuda")
    compiled = torch.compile(flex_attention, dynamic=False, fullgraph=True, mode=FLEX_MODE)
    return lambda: compiled(q, k, v, score_mod=score, block_mask=block_mask, **grouping(q, k))


def by_triton(torch, case):
    import triton_forward
    q, k, v = operands(torch, case)
    return triton_forward.prepare(torch, q[0], k[0], v[0], case["entry"] == "causal")


FLEX_MODE = "max-autotune-no-cudagraphs"
PEERS = {"flash": by_sdpa("FLASH_ATTENTION"), "cudnn": by_sdpa("CUDNN_ATTENTION"), "triton": by_triton,
         "flex": by_flex}  # the longest compiles last
# Limits of processes; the last process has the remaining time.
SECONDS = {"cublas": 60, "flash": 60, "cudnn": 60, "triton": 120}
NO_DEVICE = 3  # exit status without PyTorch, or without a device


def time_cublas(torch, results):
    n = 8192
    try:
        a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        rate = 2 * n**3 / median_seconds(torch, lambda: a @ b)
    except Exception as error:
        results.missing("the rate of cuBLAS, and all fractions of it", error)
        return
    print(f"cuBLAS, bf16 8192^3: {1e-12 * rate:.1f} TFLOP/s", flush=True)
    results.add(what="rate", name="cublas", value=rate)


def time_cases(torch, peer, measures, results):
    """Times the cases of a peer. The cases whose unit is this peer come first."""
    wanted = sorted((each for each in measures if peer in each["peers"]), key=lambda each: each["unit"] != peer)
    for case in wanted:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                seconds = median_seconds(torch, PEERS[peer](torch, case), case["launches"])
            except Exception as error:  # backends raise different types
                results.missing(f"{peer} on {case['name']}", reason(error, caught))
                continue
        print(f"{case['title']}: {peer} {1e3 * seconds:.3f} ms", flush=True)
        results.add(what="time", case=case["name"], by=peer, seconds=seconds)
        torch.cuda.empty_cache()


def time_peer(peer, measures, results):
    """Times a peer in this process; returns the exit status."""
    os.environ.setdefault("TORCH_CUDNN_SDPA_ENABLED", "1")  # off by default in PyTorch 2.5
    try:
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError(f"PyTorch {torch.__version__} finds no device")
        torch.cuda.set_device(int(os.environ.get("ATTN_DEVICE") or 0))  # the device of device-check
    except Exception as error:  # including errors of libraries that PyTorch loads
        results.missing("PyTorch, and therefore all peers and cuBLAS", error)
        return NO_DEVICE
    if peer == "cublas":
        print(f"PyTorch {torch.__version__}", flush=True)
        time_cublas(torch, results)
    else:
        time_cases(torch, peer, measures, results)
    return 0


def run_process(peer, results):
    """Runs a peer in a separate process; returns its exit status, or None if it exceeds the time limit."""
    command = [sys.executable, os.path.abspath(__file__), sys.argv[1], results.path, peer]
    try:
        return subprocess.run(command, timeout=SECONDS.get(peer), check=False).returncode
    except subprocess.TimeoutExpired:
        return None


def main():
    results = Results(sys.argv[2] if len(sys.argv) > 2 else "")
    if len(sys.argv) > 3:
        with open(sys.argv[1], encoding="utf-8") as file:
            sys.exit(time_peer(sys.argv[3], json.load(file)["measures"], results))
    for peer in ["cublas", *PEERS]:
        status = run_process(peer, results)
        if status == NO_DEVICE:
            return
        if status != 0:
            why = f"its process ended with status {status}" if status else f"time limit of {SECONDS[peer]} s"
            results.missing(f"{peer}, remaining cases", why)


main()
