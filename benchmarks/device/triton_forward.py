"""Forward pass of attention in Triton, as in its tutorial: online softmax. A program computes a block of queries, reads
the keys and values block by block, and carries a running maximum, a running sum and the weighted sums of values. With a
causal mask, a second loop computes the blocks that the diagonal crosses; only this loop evaluates the mask. If `whole`,
the number of keys is a multiple of the block, and keys are not compared with it."""
import math

import triton
import triton.language as tl


@triton.jit
def fold(accumulator, total, largest, q, k, v, first, end, n, rows, stride, scale, masked: tl.constexpr,
         whole: tl.constexpr, d: tl.constexpr, keys: tl.constexpr):
    columns, features = tl.arange(0, keys), tl.arange(0, d)
    for start in range(first, end, keys):
        at = start + columns
        if whole:
            kt = tl.load(k + at[None, :] * stride + features[:, None])
        else:
            kt = tl.load(k + at[None, :] * stride + features[:, None], mask=at[None, :] < n, other=0.0)
        scores = tl.dot(q, kt) * scale
        if masked:
            scores = tl.where((at[None, :] < n) & (at[None, :] <= rows[:, None]), scores, -1.0e30)
        elif not whole:
            scores = tl.where(at[None, :] < n, scores, -1.0e30)
        higher = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - higher[:, None])
        shrink = tl.math.exp2(largest - higher)
        total = total * shrink + tl.sum(weights, 1)
        if whole:
            values = tl.load(v + at[:, None] * stride + features[None, :])
        else:
            values = tl.load(v + at[:, None] * stride + features[None, :], mask=at[:, None] < n, other=0.0)
        accumulator = accumulator * shrink[:, None]
        accumulator = tl.dot(weights.to(values.dtype), values, accumulator)
        largest = higher
    return accumulator, total, largest


# Each case is compiled with each configuration: the fastest with 228 KB of shared memory, and one for smaller devices.
CHOICES = [triton.Config({"queries": queries, "keys": keys}, num_stages=stages, num_warps=warps)
           for queries, keys, stages, warps in ((64, 64, 2, 4), (128, 32, 4, 4), (128, 64, 3, 4), (128, 64, 3, 8),
                                                (128, 64, 4, 8), (128, 128, 2, 8), (128, 128, 3, 8))]


@triton.autotune(CHOICES, key=["n", "d", "causal"])
@triton.jit
def forward(q, k, v, y, n, scale, causal: tl.constexpr, whole: tl.constexpr, d: tl.constexpr,
            queries: tl.constexpr, keys: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1)
    begin = head.to(tl.int64) * n * d
    rows, features = block * queries + tl.arange(0, queries), tl.arange(0, d)
    places = begin + rows[:, None] * d + features[None, :]
    mine = tl.load(q + places, mask=rows[:, None] < n, other=0.0)
    accumulator = tl.zeros([queries, d], tl.float32)
    total = tl.zeros([queries], tl.float32)
    largest = tl.zeros([queries], tl.float32) - 1.0e30
    behind = block * queries // keys * keys if causal else n  # all keys before this one are unmasked
    accumulator, total, largest = fold(accumulator, total, largest, mine, k + begin, v + begin, 0, behind, n, rows, d,
                                       scale, False, whole, d, keys)
    if causal:
        end = tl.minimum((block + 1) * queries, n)
        accumulator, total, largest = fold(accumulator, total, largest, mine, k + begin, v + begin, behind, end, n,
                                           rows, d, scale, True, whole, d, keys)
    tl.store(y + places, (accumulator / total[:, None]).to(y.dtype.element_ty), mask=rows[:, None] < n)


def prepare(torch, q, k, v, causal):
    """A function that runs the kernel on [heads, positions, features]. The result is first compared with PyTorch's."""
    y = torch.empty_like(q)
    heads, n, d = q.shape
    whole, scale = n % 128 == 0, 1 / (math.sqrt(d) * math.log(2))

    def run():
        forward[lambda chosen: (triton.cdiv(n, chosen["queries"]), heads)](q, k, v, y, n, scale, causal, whole, d)
    run()
    expected = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]
    torch.testing.assert_close(y, expected, rtol=0.05, atol=2e-3)
    return run
