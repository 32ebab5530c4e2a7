"""Layers of attention networks in double precision: norms, activations, masks and attention.

Sequences have the shape [batch, length, features], heads the shape [batch, heads, length, head_dim].
A mask is boolean: true where the query of the row attends to the key of the column.
"""
import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def rms_norm(x, weight, eps):
    """x / sqrt(mean(x^2) + eps) weight"""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def layer_norm(x, weight, bias, eps):
    """(x - mean) / sqrt(variance + eps) weight + bias. Weight and bias may be None."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    y = centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def softmax(x):
    """Softmax along the last axis. A row of -inf gives zeros."""
    largest = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    total = np.sum(e, axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def softplus(x):
    return np.logaddexp(0, x)


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


ACTIVATIONS = {
    "silu": silu, "swish": silu, "gelu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh,
    "quick_gelu": lambda x: x * sigmoid(1.702 * x), "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh,
    "sigmoid": sigmoid,
}


def soft_cap(x, cap):
    """cap tanh(x / cap), or x without a cap."""
    return x if cap is None else cap * np.tanh(x / cap)


def causal_mask(length, window=None):
    """Keys up to the query. A window of W keeps the last W of them, the query's own included."""
    distance = np.arange(length)[:, None] - np.arange(length)
    return (distance >= 0) & (distance < (length if window is None else window))


def window_mask(length, reach):
    """Keys at most `reach` positions before or after the query."""
    return np.abs(np.arange(length)[:, None] - np.arange(length)) <= reach


def key_mask(lengths, length):
    """Padding: keys before the length of each row of the batch. Shape [batch, 1, 1, length]."""
    return (np.arange(length) < np.asarray(lengths)[:, None])[:, None, None, :]


def split_heads(x, heads):
    batch, length, features = x.shape
    return x.reshape(batch, length, heads, features // heads).transpose(0, 2, 1, 3)


def join_heads(x):
    batch, heads, length, head_dim = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * head_dim)


def attention(q, k, v, mask=None, scale=1.0, cap=None, sinks=None, bias=None):
    """softmax(cap(scale q k^T) + bias, where the mask is true) v

    Query head h reads key head h // (heads / kv_heads). A sink is a score per head that joins the softmax and has no
    value.
    """
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = soft_cap(scale * (q @ np.swapaxes(k, -1, -2)), cap)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    if sinks is not None:
        column = np.broadcast_to(sinks[None, :, None, None], scores.shape[:3] + (1,))
        scores = np.concatenate([scores, column], axis=-1)
    probs = softmax(scores)
    return (probs if sinks is None else probs[..., :-1]) @ v
