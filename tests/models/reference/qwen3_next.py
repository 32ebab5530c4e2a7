"""Qwen3-Next (2025): three layers of gated delta rules for each one of gated attention, with experts."""
import numpy as np

from . import decoder, delta, experts, layers, rope
from .mamba2 import causal_convolution


def layer_types(config):
    every = config.get("full_attention_interval", 4)
    return config.get("layer_types") or ["linear_attention" if (index + 1) % every else "full_attention"
                                         for index in range(config["num_hidden_layers"])]


def linear_attention(config, x, w):
    """Rows of in_proj_qkvz are, for each head of keys: query, key, then values and gates of its group."""
    k_heads, v_heads = config.get("linear_num_key_heads", 16), config.get("linear_num_value_heads", 32)
    k_dim, v_dim = config.get("linear_key_head_dim", 128), config.get("linear_value_head_dim", 128)
    batch, length, _ = x.shape
    group = v_heads // k_heads
    mixed = w.linear(x, "in_proj_qkvz").reshape(batch, length, k_heads, -1)
    q, k, v, z = np.split(mixed, [k_dim, 2 * k_dim, 2 * k_dim + group * v_dim], axis=-1)
    b, a = np.split(w.linear(x, "in_proj_ba").reshape(batch, length, k_heads, -1), 2, axis=-1)
    qkv = np.concatenate([y.reshape(batch, length, -1) for y in (q, k, v)], axis=-1)
    qkv = layers.silu(causal_convolution(qkv, w["conv1d.weight"]))
    q, k, v = np.split(qkv, [k_heads * k_dim, 2 * k_heads * k_dim], axis=-1)
    q, k = (np.repeat(y.reshape(batch, length, k_heads, k_dim), group, axis=2) for y in (q, k))
    v = v.reshape(batch, length, v_heads, v_dim)
    decay = -np.exp(w["A_log"]) * layers.softplus(a.reshape(batch, length, v_heads) + w["dt_bias"])
    beta = layers.sigmoid(b.reshape(batch, length, v_heads))
    y = delta.gated_delta_rule(q, k, v, decay[..., None], beta)
    y = layers.rms_norm(y, w["norm.weight"], config.get("rms_norm_eps", 1e-6))
    y = y * layers.silu(z.reshape(batch, length, v_heads, v_dim))
    return w.linear(y.reshape(batch, length, -1), "out_proj")


def gated_attention(config, x, w, mask, tables):
    """Rows of q_proj are, for each head, its query and its gate. The gate multiplies the heads before o_proj."""
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=2, head_dim=256)
    eps, bias = config.get("rms_norm_eps", 1e-6), config.get("attention_bias", False)
    both = layers.split_heads(w.linear(x, "q_proj", bias), heads)
    q, gate = both[..., :head_dim], both[..., head_dim:]
    k = layers.split_heads(w.linear(x, "k_proj", bias), kv_heads)
    v = layers.split_heads(w.linear(x, "v_proj", bias), kv_heads)
    q = rope.rotate(layers.rms_norm(q, 1 + w["q_norm.weight"], eps), tables)
    k = rope.rotate(layers.rms_norm(k, 1 + w["k_norm.weight"], eps), tables)
    y = layers.attention(q, k, v, mask, head_dim ** -0.5) * layers.sigmoid(gate)
    return w.linear(layers.join_heads(y), "o_proj", bias)


def sparse(config, x, w):
    """Experts, and a shared one that is weighted by a gate of its own."""
    activation = config.get("hidden_act", "silu")
    weights = experts.softmax_routing(w.linear(x, "gate"), config.get("num_experts_per_tok", 10),
                                      config.get("norm_topk_prob", True))
    shared = decoder.gated_mlp(x, w.under("shared_expert."), activation)
    return (experts.mix(x, weights, experts.gated(w, activation))
            + layers.sigmoid(w.linear(x, "shared_expert_gate")) * shared)


def is_sparse(config, index):
    return (index not in (config.get("mlp_only_layers") or []) and config.get("num_experts", 512) > 0
            and (index + 1) % config.get("decoder_sparse_step", 1) == 0)


def forward(config, w, inputs):
    eps = config.get("rms_norm_eps", 1e-6)
    tokens = inputs["tokens"]
    head_dim = config.get("head_dim", 256)
    tables = rope.tables(dict({"partial_rotary_factor": 0.25}, **config), head_dim, tokens.shape[1], longest=32768)
    mask = layers.causal_mask(tokens.shape[1])

    def norm(x, weight):
        return layers.rms_norm(x, 1 + weight, eps)

    x = w["model.embed_tokens.weight"][tokens]
    for index, kind in enumerate(layer_types(config)):
        layer = w.under(f"model.layers.{index}.")
        y = norm(x, layer["input_layernorm.weight"])
        if kind == "linear_attention":
            x = x + linear_attention(config, y, layer.under("linear_attn."))
        else:
            x = x + gated_attention(config, y, layer.under("self_attn."), mask, tables)
        y = norm(x, layer["post_attention_layernorm.weight"])
        if is_sparse(config, index):
            x = x + sparse(config, y, layer.under("mlp."))
        else:
            x = x + decoder.gated_mlp(y, layer.under("mlp."), config.get("hidden_act", "silu"))
    x = norm(x, w["model.norm.weight"])
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_linear(draw, config, prefix):
    hidden = config["hidden_size"]
    k_heads, v_heads = config["linear_num_key_heads"], config["linear_num_value_heads"]
    keys, values = k_heads * config["linear_key_head_dim"], v_heads * config["linear_value_head_dim"]
    draw.normal(prefix + "A_log", v_heads, 0.7, -0.5)
    draw.normal(prefix + "conv1d.weight", (2 * keys + values, 1, config["linear_conv_kernel_dim"]), 1.5)
    draw.normal(prefix + "dt_bias", v_heads, 0.7, -0.5)
    draw.linear(prefix + "in_proj_ba", 2 * v_heads, hidden, 1.0)
    draw.linear(prefix + "in_proj_qkvz", 2 * keys + 2 * values, hidden, 1.3)
    draw.norm(prefix + "norm", config["linear_value_head_dim"])
    draw.linear(prefix + "out_proj", hidden, values, 0.1)


def draw_full(draw, config, prefix):
    hidden, head_dim = config["hidden_size"], config["head_dim"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    draw.linear(prefix + "q_proj", 2 * heads * head_dim, hidden, 1.3)
    draw.linear(prefix + "k_proj", kv_heads * head_dim, hidden, 1.3)
    draw.linear(prefix + "v_proj", kv_heads * head_dim, hidden)
    draw.linear(prefix + "o_proj", hidden, heads * head_dim, 0.15)
    draw.norm(prefix + "q_norm", head_dim, 0.5, neutral=0.0)
    draw.norm(prefix + "k_norm", head_dim, 0.5, neutral=0.0)


def draw_moe(draw, config, prefix):
    hidden = config["hidden_size"]
    draw.linear(prefix + "gate", config["num_experts"], hidden, 2.0)
    experts.draw_experts(draw, prefix, config["num_experts"], hidden, config["moe_intermediate_size"])
    decoder.draw_mlp(draw, prefix + "shared_expert.", hidden, config["shared_expert_intermediate_size"])
    draw.linear(prefix + "shared_expert_gate", 1, hidden, 1.0)


def draw_tensors(draw, config):
    hidden = config["hidden_size"]
    decoder.draw_ends(draw, config["vocab_size"], hidden, tied=False, mean=0.0, neutral=0.0)
    for index, kind in enumerate(layer_types(config)):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", hidden, 0.0, neutral=0.0)
        if kind == "linear_attention":
            draw_linear(draw, config, prefix + "linear_attn.")
        else:
            draw_full(draw, config, prefix + "self_attn.")
        draw.norm(prefix + "post_attention_layernorm", hidden, 0.0, neutral=0.0)
        if is_sparse(config, index):
            draw_moe(draw, config, prefix + "mlp.")
        else:
            decoder.draw_mlp(draw, prefix + "mlp.", hidden, config["intermediate_size"])


def keys(**given):
    return dict({
        "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 90, "decoder_sparse_step": 1,
        "eos_token_id": 91, "head_dim": 16, "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02,
        "intermediate_size": 40, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 8, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_value_head_dim": 8, "max_position_embeddings": 262144,
        "mlp_only_layers": [], "moe_intermediate_size": 8, "norm_topk_prob": True, "num_attention_heads": 4,
        "num_experts": 4, "num_experts_per_tok": 2, "num_hidden_layers": 4, "num_key_value_heads": 2,
        "output_router_logits": False, "partial_rotary_factor": 0.25, "rms_norm_eps": 1e-06, "rope_scaling": None,
        "rope_theta": 10000000, "router_aux_loss_coef": 0.001, "shared_expert_intermediate_size": 8,
        "tie_word_embeddings": False, "use_cache": True, "use_sliding_window": False, "vocab_size": 96}, **given)


def qwen3_next(draw):
    """Layer 3 of 4 has attention; the files also have a module for further tokens, which logits do not need."""
    config = draw.config("Qwen3NextForCausalLM", "qwen3_next", "4.57.0.dev0", **keys(full_attention_interval=4))
    draw_tensors(draw, config)
    draw.ignore("mtp.norm.weight", draw.random.standard_normal(32))
    draw.ignore("mtp.fc.weight", draw.random.standard_normal((32, 64)))
    features = {"RoPE theta": {"rope_theta": 100}, "partial rotation": {"partial_rotary_factor": 0.5},
                "sum of weights": {"norm_topk_prob": False}, "number of experts": {"num_experts_per_tok": 1},
                "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def qwen3_next_types(draw):
    """Keys of the newer generation: types of layers, a dense layer, the default of the partial rotation."""
    given = keys(head_dim=32, layer_types=["full_attention", "linear_attention", "linear_attention"],
                 linear_conv_kernel_dim=3, linear_key_head_dim=12, linear_num_key_heads=2, linear_num_value_heads=2,
                 linear_value_head_dim=16, mlp_only_layers=[0, 1], num_attention_heads=2, num_hidden_layers=3,
                 num_key_value_heads=1, rope_parameters={"rope_theta": 1000.0, "rope_type": "default"})
    for key in ("partial_rotary_factor", "rope_scaling", "rope_theta", "use_sliding_window", "norm_topk_prob"):
        del given[key]
    config = draw.config("Qwen3NextForCausalLM", "qwen3_next", "5.0.0", **given)
    draw_tensors(draw, config)
    features = {"RoPE theta": {"rope_parameters.rope_theta": 10000.0},
                "partial rotation": {"rope_parameters.partial_rotary_factor": 1.0},
                "sum of weights": {"norm_topk_prob": False}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"qwen3-next": qwen3_next, "qwen3-next-types": qwen3_next_types}
