#!/usr/bin/env python3
"""The cases of cases.json in PyTorch and Triton, where the machine has them: peers.py CASES [RESULTS]

Appends to RESULTS what Results.h describes: the rate of cuBLAS on bf16 8192^3, and for each case the median seconds of
scaled_dot_product_attention by its flash and cuDNN backends, of FlexAttention with the same mask and score, and of a
forward in Triton in the style of its tutorial. What is missing or fails is a line that says why.
"""
import json
import math
import os
import statistics
import sys
import time

# The rule of Measure.cpp.
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
        text = str(why).strip().splitlines()
        print(f"{name}: missing: {text[0] if text else why!r}", flush=True)
        self.add(what="missing", name=name, why=text[0] if text else repr(why))


def seconds_of_runs(torch, run, least, enough):
    """What runs take, until there are `least` of them and they took `enough` together."""
    seconds = []
    while len(seconds) < least or sum(seconds) < enough:
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return seconds


def median_seconds(torch, run, launches=1):
    """Of one launch, by the host's clock; each run ends when the device is done. Several launches are a graph, as those
    of attnc are."""
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


def by_sdpa(backend_name):
    def prepare(torch, case):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backend = getattr(SDPBackend, backend_name)
        q, k, v = operands(torch, case)
        causal, grouped = case["entry"] == "causal", q.shape[1] != k.shape[1]

        def run():
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)
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
    """What dynamo compiled for other cases does not count, and where it gives up it fails: eager is no peer."""
    import torch._dynamo as dynamo
    dynamo.reset()
    for name in ("fail_on_recompile_limit_hit", "fail_on_cache_limit_hit"):  # by version
        if hasattr(dynamo.config, name):
            setattr(dynamo.config, name, True)


def by_flex(torch, case):
    refuse_eager()
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    q, k, v = operands(torch, case)
    mask, score = masks_and_scores(torch, q.shape[1])[case["entry"]]
    block_mask = mask and create_block_mask(mask, None, None, q.shape[2], k.shape[2], device="cuda")
    compiled, grouped = torch.compile(flex_attention, dynamic=False, mode=FLEX_MODE), q.shape[1] != k.shape[1]
    return lambda: compiled(q, k, v, score_mod=score, block_mask=block_mask, enable_gqa=grouped)


def by_triton(torch, case):
    import triton_forward
    q, k, v = operands(torch, case)
    return triton_forward.prepare(torch, q[0], k[0], v[0], case["entry"] == "causal")


FLEX_MODE = "max-autotune-no-cudagraphs"
PEERS = {"flash": by_sdpa("FLASH_ATTENTION"), "cudnn": by_sdpa("CUDNN_ATTENTION"), "triton": by_triton,
         "flex": by_flex}  # those that compile longest are last


def cublas_rate(torch):
    n = 8192
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return 2 * n**3 / median_seconds(torch, lambda: a @ b)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    results = Results(sys.argv[2] if len(sys.argv) > 2 else "")
    try:
        import torch
    except ImportError as error:
        results.missing("PyTorch, and with it all peers and cuBLAS", error)
        return
    if not torch.cuda.is_available():
        results.missing("PyTorch, and with it all peers and cuBLAS", f"{torch.__version__} sees no device")
        return
    torch.cuda.set_device(int(os.environ.get("ATTN_DEVICE") or 0))  # that of device-check
    print(f"PyTorch {torch.__version__}", flush=True)
    rate = cublas_rate(torch)
    print(f"cuBLAS, bf16 8192^3: {1e-12 * rate:.1f} TFLOP/s", flush=True)
    results.add(what="rate", name="cublas", value=rate)
    for peer, prepare in PEERS.items():
        for case in (each for each in cases["measures"] if peer in each["peers"]):
            try:
                seconds = median_seconds(torch, prepare(torch, case), case["launches"])
            except Exception as error:  # whatever a backend refuses with
                results.missing(f"{peer} on {case['name']}", error)
                continue
            print(f"{case['title']}: {peer} {1e3 * seconds:.3f} ms", flush=True)
            results.add(what="time", case=case["name"], by=peer, seconds=seconds)
            torch.cuda.empty_cache()


main()
