"""Rotary position embeddings with the scalings of published configurations.

Dimension pair i of d/2 turns by the angle position * f_i. The default is f_i = theta^(-2i/d).
Sources: "RoFormer" (Su et al., 2021), "YaRN" (Peng et al., 2023), "LongRoPE" (Ding et al., 2024), Llama 3.1.
"""
import math

import numpy as np


def parameters(config, theta, layer_type=None):
    """The parameters of either generation of keys, as one dictionary.

    Older files have `rope_theta` and `rope_scaling` at the top. Newer ones have `rope_parameters`, which may hold one
    dictionary for each type of layer.
    """
    given = dict(config.get("rope_scaling") or config.get("rope_parameters") or {})
    given = dict(given.get(layer_type) or {}) if layer_type in given else given
    given["kind"] = given.get("rope_type") or given.get("type") or "default"
    given["theta"] = given.get("rope_theta") or config.get("rope_theta") or theta
    given["partial"] = given.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    return given


def llama3(f, given, original):
    """Long wavelengths are divided by the factor, short ones stay, those between are interpolated."""
    low, high = given["low_freq_factor"], given["high_freq_factor"]
    smooth = np.clip((original * f / (2 * math.pi) - low) / (high - low), 0, 1)
    return (1 - smooth) * f / given["factor"] + smooth * f


def yarn_scale(factor, weight=1.0):
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1


def yarn(f, d, given, original, longest):
    """Frequencies and the factor of cosine and sine."""
    factor = given.get("factor") or longest / original

    def dimension(turns):
        return d * math.log(original / (2 * math.pi * turns)) / (2 * math.log(given["theta"]))

    low, high = dimension(given.get("beta_fast") or 32), dimension(given.get("beta_slow") or 1)
    if given.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    ramp = np.clip((np.arange(d // 2) - low) / (high - low if high > low else 0.001), 0, 1)
    scale = given.get("attention_factor")
    if scale is None and given.get("mscale") and given.get("mscale_all_dim"):
        scale = yarn_scale(factor, given["mscale"]) / yarn_scale(factor, given["mscale_all_dim"])
    return ramp * f / factor + (1 - ramp) * f, yarn_scale(factor) if scale is None else scale


def longrope(f, given, original, longest, length):
    """Frequencies and the factor of cosine and sine."""
    factors = given["long_factor"] if length > original else given["short_factor"]
    factor = given.get("factor") or longest / original
    scale = given.get("attention_factor")
    if scale is None:
        scale = 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(original))
    return f / np.array(factors), scale


def tables(config, head_dim, length, theta=10000.0, longest=2048, layer_type=None, alias=None):
    """Cosine and sine of shape [length, d/2], d = int(head_dim * partial_rotary_factor).

    `theta` and `longest` are the family's defaults of rope_theta and max_position_embeddings. `alias` maps old names
    of scalings to new ones.
    """
    given = parameters(config, theta, layer_type)
    kind = (alias or {}).get(given["kind"], given["kind"])
    longest = config.get("max_position_embeddings", longest)
    original = (config.get("original_max_position_embeddings") or given.get("original_max_position_embeddings")
                or longest)
    d, scale = int(head_dim * given["partial"]), 1.0
    base = given["theta"]
    if kind == "dynamic":
        ratio = max(length, longest) / longest
        base *= (given["factor"] * ratio - (given["factor"] - 1)) ** (d / (d - 2))
    f = base ** (-np.arange(0, d, 2) / d)
    if kind == "linear":
        f = f / given["factor"]
    elif kind == "llama3":
        f = llama3(f, given, original)
    elif kind == "yarn":
        f, scale = yarn(f, d, given, original, longest)
    elif kind == "longrope":
        f, scale = longrope(f, given, original, longest, length)
    elif kind not in ("default", "dynamic"):
        raise ValueError(f"unknown RoPE scaling '{kind}'")
    angles = np.arange(length)[:, None] * f
    return scale * np.cos(angles), scale * np.sin(angles)


def rotate(x, rope):
    """Rotates the pairs (i, i + d/2) of the first d dimensions of each head. The other dimensions pass."""
    cos, sin = rope
    half = cos.shape[-1]
    first, second, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin, rest], axis=-1)


def rotate_neighbours(x, rope):
    """Rotates the pairs (2i, 2i + 1). The result has all first elements, then all second ones."""
    return rotate(np.concatenate([x[..., ::2], x[..., 1::2]], axis=-1), rope)
