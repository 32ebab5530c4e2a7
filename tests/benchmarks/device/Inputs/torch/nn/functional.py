import os
import warnings

from .attention import chosen


def scaled_dot_product_attention(q, k, v, is_causal=False):
    if chosen[-1] == "cudnn":
        os.abort()
    if is_causal:
        warnings.warn("Flash attention kernel not used because: (Triggered internally at sdp_utils.cpp:1.)")
        warnings.warn("Flash attention has no causal masks (Triggered internally at sdp_utils.cpp:2.)")
        raise RuntimeError("No available kernel. Aborting execution.")
