"""Gated delta rules ("Gated Delta Networks", Yang et al., 2024; "Kimi Linear", 2025)."""
import numpy as np


def unit(x):
    """x / sqrt(sum(x^2) + 1e-6)"""
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True) + 1e-6)


def gated_delta_rule(q, k, v, log_decay, beta):
    """The recurrence S = decay S, S = S + beta k (v - S^T k)^T, o = S^T q.

    q and k [batch, length, heads, key_dim], made unit vectors, q divided by sqrt(key_dim); v [..., value_dim];
    log_decay [..., key_dim] or [..., 1]; beta [batch, length, heads]. Returns o as v.
    """
    q, k = unit(q) * q.shape[-1] ** -0.5, unit(k)
    state = np.zeros(k.shape[:1] + k.shape[2:] + v.shape[-1:])  # [batch, heads, key_dim, value_dim]
    outputs = []
    for index in range(q.shape[1]):
        key = k[:, index, :, :, None]
        state = np.exp(log_decay[:, index, :, :, None]) * state
        known = np.sum(state * key, axis=2)
        state = state + key * (beta[:, index, :, None] * (v[:, index] - known))[:, :, None, :]
        outputs.append(np.sum(state * q[:, index, :, :, None], axis=2))
    return np.stack(outputs, axis=1)
