"""Mixtures of experts: routing and the weighted sum. Every expert computes every token; most weights are 0."""
import numpy as np

from . import decoder, layers


def top_k(scores, count):
    """Whether each score is one of the `count` largest of its row."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    chosen = np.zeros(scores.shape, bool)
    np.put_along_axis(chosen, order[..., :count], True, axis=-1)
    return chosen


def softmax_routing(logits, count, normalise):
    """Softmax over all experts, then the `count` largest, divided by their sum if `normalise` is set."""
    probs = layers.softmax(logits)
    probs = np.where(top_k(probs, count), probs, 0)
    return probs / np.sum(probs, axis=-1, keepdims=True) if normalise else probs


def mix(x, weights, expert):
    """The sum of weights[..., e] expert(x, e). `weights` has the shape [batch, length, experts]."""
    return sum(weights[..., index:index + 1] * expert(x, index) for index in range(weights.shape[-1]))


def gated(w, activation, names=("gate_proj", "up_proj", "down_proj")):
    """A function that evaluates expert e with the tensors `experts.e.`."""
    gate, up, down = names

    def expert(x, index):
        own = w.under(f"experts.{index}.")
        return own.linear(layers.ACTIVATIONS[activation](own.linear(x, gate)) * own.linear(x, up), down)

    return expert


def stacked(w, activation):
    """As `gated`, with the tensors of all experts stacked: [experts, 2 inner, hidden], gates first, and
    [experts, hidden, inner]."""
    def expert(x, index):
        gate, up = np.split(x @ w["experts.gate_up_proj"][index].T, 2, axis=-1)
        return (layers.ACTIVATIONS[activation](gate) * up) @ w["experts.down_proj"][index].T

    return expert


def draw_experts(draw, prefix, count, hidden, inner, gain=0.15):
    for index in range(count):
        decoder.draw_mlp(draw, f"{prefix}experts.{index}.", hidden, inner, gain=gain)
