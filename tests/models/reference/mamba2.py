"""Mamba-2 ("Transformers are SSMs", Dao and Gu, 2024): state-space layers without attention."""
import numpy as np

from . import layers


def causal_convolution(x, weight, bias=None):
    """A convolution of each channel with its last inputs: x [batch, length, channels], weight [channels, 1, width]."""
    width = weight.shape[-1]
    padded = np.pad(x, ((0, 0), (width - 1, 0), (0, 0)))
    y = sum(padded[:, index:index + x.shape[1]] * weight[:, 0, index] for index in range(width))
    return y if bias is None else y + bias


def scan(x, step, decay, b, c):
    """The recurrence h = exp(step decay) h + step x b^T, y = h c.

    x [batch, length, heads, head_dim], step [batch, length, heads], decay [heads], b and c [batch, length, heads,
    state]. Returns y as x.
    """
    state = np.zeros(x.shape[:1] + x.shape[2:] + b.shape[-1:])
    outputs = []
    for index in range(x.shape[1]):
        at = step[:, index, :, None, None]
        state = np.exp(at * decay[:, None, None]) * state + at * x[:, index, :, :, None] * b[:, index, :, None, :]
        outputs.append(np.sum(state * c[:, index, :, None, :], axis=-1))
    return np.stack(outputs, axis=1)


def mixer(config, x, w):
    """Rows of in_proj: gate, inputs x, b and c by group, steps by head. The norm follows the gate.

    With several groups the norm is one per group, as in the authors' implementation. The class `Mamba2` of
    transformers norms all groups as one.
    """
    heads, head_dim = config.get("num_heads", 128), config.get("head_dim", 64)
    groups, size = config.get("n_groups", 8), config.get("state_size", 128)
    inner = int(config.get("expand", 2) * config["hidden_size"])
    bias = config.get("use_bias", False)
    low, high = config.get("time_step_limit", (0.0, np.inf))
    batch, length, _ = x.shape
    gate, xbc, step = np.split(w.linear(x, "in_proj", bias), [inner, 2 * inner + 2 * groups * size], axis=-1)
    conv_bias = w["conv1d.bias"] if config.get("use_conv_bias", True) else None
    xbc = layers.ACTIVATIONS[config.get("hidden_act", "silu")](causal_convolution(xbc, w["conv1d.weight"], conv_bias))
    x, b, c = np.split(xbc, [inner, inner + groups * size], axis=-1)
    x = x.reshape(batch, length, heads, head_dim)
    b, c = (np.repeat(y.reshape(batch, length, groups, size), heads // groups, axis=2) for y in (b, c))
    step = np.clip(layers.softplus(step + w["dt_bias"]), low, high)
    y = scan(x, step, -np.exp(w["A_log"]), b, c) + w["D"][:, None] * x
    y = (y.reshape(batch, length, inner) * layers.silu(gate)).reshape(batch, length, groups, -1)
    y = layers.rms_norm(y, w["norm.weight"].reshape(groups, -1), config.get("layer_norm_epsilon", 1e-5))
    return w.linear(y.reshape(batch, length, inner), "out_proj", bias)


def forward(config, w, inputs):
    eps = config.get("layer_norm_epsilon", 1e-5)
    table = w["backbone.embeddings.weight"]
    x = table[inputs["tokens"]]
    for index in range(config["num_hidden_layers"]):
        layer = w.under(f"backbone.layers.{index}.")
        x = x + mixer(config, layers.rms_norm(x, layer["norm.weight"], eps), layer.under("mixer."))
    x = layers.rms_norm(x, w["backbone.norm_f.weight"], eps)
    return {"logits": x @ (table if config.get("tie_word_embeddings", False) else w["lm_head.weight"]).T}


def draw_tensors(draw, config):
    hidden, heads = config["hidden_size"], config["num_heads"]
    inner = config["expand"] * hidden
    channels = inner + 2 * config["n_groups"] * config["state_size"]
    bias = 0.3 if config["use_bias"] else 0.0
    draw.normal("backbone.embeddings.weight", (config["vocab_size"], hidden), 0.03)
    for index in range(config["num_hidden_layers"]):
        layer = f"backbone.layers.{index}."
        draw.norm(layer + "norm", hidden)
        draw.normal(layer + "mixer.A_log", heads, 0.7)
        draw.normal(layer + "mixer.D", heads, 0.3, 1.0)
        draw.normal(layer + "mixer.dt_bias", heads, 0.7, -0.5)
        draw.normal(layer + "mixer.conv1d.weight", (channels, 1, config["conv_kernel"]), 0.6)
        if config["use_conv_bias"]:
            draw.normal(layer + "mixer.conv1d.bias", channels, 0.3)
        draw.linear(layer + "mixer.in_proj", inner + channels + heads, hidden, 1.3, bias)
        draw.norm(layer + "mixer.norm", inner)
        draw.linear(layer + "mixer.out_proj", hidden, inner, 0.05, bias and 0.02)
    draw.norm("backbone.norm_f", hidden, 15.0 if config["tie_word_embeddings"] else 1.0)
    if not config["tie_word_embeddings"]:
        draw.linear("lm_head", config["vocab_size"], hidden, 3.0)


def keys(**given):
    return dict({
        "bos_token_id": 0, "chunk_size": 8, "conv_kernel": 4, "eos_token_id": 0, "expand": 2, "hidden_act": "silu",
        "hidden_size": 32, "initializer_range": 0.1, "layer_norm_epsilon": 1e-05, "norm_before_gate": True,
        "num_hidden_layers": 2, "pad_token_id": 0, "rescale_prenorm_residual": False, "residual_in_fp32": True,
        "rms_norm": True, "time_step_floor": 0.0001, "time_step_max": 0.1, "time_step_min": 0.001,
        "time_step_rank": 2, "use_bias": False, "use_cache": True, "use_conv_bias": True, "vocab_size": 96}, **given)


def mamba2(draw):
    """One group of heads, no limit of steps: the file has the word Infinity, which is not JSON."""
    config = draw.config("Mamba2ForCausalLM", "mamba2", "4.44.0.dev0", **keys(
        head_dim=16, n_groups=1, num_heads=4, state_size=8, tie_word_embeddings=False,
        time_step_limit=[0.0, float("inf")]))
    draw_tensors(draw, config)
    features = {"limit of steps": {"time_step_limit": [0.0, 0.5]}, "epsilon": {"layer_norm_epsilon": 1e-6},
                "activation": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def mamba2_groups(draw):
    """Two groups of heads, each with its own b, c and norm; time_step_limit is missing."""
    config = draw.config("Mamba2ForCausalLM", "mamba2", "4.44.0.dev0", **keys(
        head_dim=16, n_groups=2, num_heads=4, state_size=8, tie_word_embeddings=False))
    draw_tensors(draw, config)
    features = {"limit of steps": {"time_step_limit": [0.0, 0.5]}, "epsilon": {"layer_norm_epsilon": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def mamba2_limited(draw):
    """Steps have limits, projections have biases, the convolution has none, the head is tied; one group."""
    config = draw.config("Mamba2ForCausalLM", "mamba2", "4.44.0.dev0", **keys(
        conv_kernel=3, head_dim=8, n_groups=1, num_heads=8, state_size=12, tie_word_embeddings=True,
        time_step_limit=[0.3, 0.9], use_bias=True, use_conv_bias=False))
    draw_tensors(draw, config)
    features = {"limit of steps": {"time_step_limit": [0.0, 100.0]}, "epsilon": {"layer_norm_epsilon": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"mamba2": mamba2, "mamba2-groups": mamba2_groups, "mamba2-limited": mamba2_limited}
