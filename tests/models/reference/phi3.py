"""Phi-3, Phi-3.5 and Phi-4 ("Phi-3 Technical Report", 2024): Llama with fused projections, and longrope scaling."""
import numpy as np

from . import decoder, layers, rope

ALIAS = {"su": "longrope", "yarn": "longrope"}


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config)
    eps = config.get("rms_norm_eps", 1e-5)
    activation = layers.ACTIVATIONS[config.get("hidden_act", "silu")]
    tokens = inputs["tokens"]
    tables = rope.tables(config, head_dim, tokens.shape[1], longest=4096, alias=ALIAS)
    mask = layers.causal_mask(tokens.shape[1], config.get("sliding_window"))

    def attend(x, w):
        rows = np.cumsum([heads * head_dim, kv_heads * head_dim])
        q, k, v = np.split(w.linear(x, "qkv_proj"), rows, axis=-1)
        q = rope.rotate(layers.split_heads(q, heads), tables)
        k = rope.rotate(layers.split_heads(k, kv_heads), tables)
        y = layers.attention(q, k, layers.split_heads(v, kv_heads), mask, head_dim ** -0.5)
        return w.linear(layers.join_heads(y), "o_proj")

    def feed(x, w):
        gate, up = np.split(w.linear(x, "gate_up_proj"), 2, axis=-1)
        return w.linear(activation(gate) * up, "down_proj")

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_tensors(draw, config, kv_heads):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    head_dim = hidden // heads
    decoder.draw_ends(draw, config["vocab_size"], hidden, config.get("tie_word_embeddings", False))
    for index in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", hidden)
        draw.linear(prefix + "self_attn.qkv_proj", (heads + 2 * kv_heads) * head_dim, hidden, 1.3)
        draw.linear(prefix + "self_attn.o_proj", hidden, heads * head_dim, 0.1)
        draw.norm(prefix + "post_attention_layernorm", hidden)
        draw.linear(prefix + "mlp.gate_up_proj", 2 * inner, hidden, 1.3)
        draw.linear(prefix + "mlp.down_proj", hidden, inner, 0.1)


def keys(**given):
    return dict({
        "attention_bias": False, "attention_dropout": 0.0, "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"},
        "bos_token_id": 1, "embd_pdrop": 0.0, "eos_token_id": 95, "hidden_act": "silu", "initializer_range": 0.02,
        "intermediate_size": 56, "num_hidden_layers": 2, "pad_token_id": 95, "resid_pdrop": 0.0,
        "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "use_cache": True, "vocab_size": 96}, **given)


def phi3(draw):
    """Phi-3.5 mini: longrope with a sequence above the original length, so the long factors apply."""
    config = draw.config("Phi3ForCausalLM", "phi3", "4.43.3", **keys(
        hidden_size=32, max_position_embeddings=128, num_attention_heads=4, num_key_value_heads=4,
        original_max_position_embeddings=16,
        rope_scaling={"long_factor": [1.1, 1.8, 3.5, 6.0], "short_factor": [1.0, 1.05, 1.2, 1.5], "type": "longrope"},
        sliding_window=20, tie_word_embeddings=False))
    draw_tensors(draw, config, 4)
    features = {"RoPE scaling": {"rope_scaling": None}, "window": {"sliding_window": None},
                "long factors": {"rope_scaling.long_factor": [1.0, 1.05, 1.2, 1.5]},
                "RoPE attention factor": {"rope_scaling.attention_factor": 1.0},
                "original length": {"original_max_position_embeddings": 32}, "RoPE theta": {"rope_theta": 50000.0},
                "epsilon": {"rms_norm_eps": 1e-6}, "activation": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def phi3_short(draw):
    """Phi-4 mini: short factors, rotation of three quarters of each head, grouped heads, a tied head."""
    config = draw.config("Phi3ForCausalLM", "phi3", "4.45.0", **keys(
        full_attn_mod=1, hidden_size=64, interpolate_factor=1, lm_head_bias=False, max_position_embeddings=1024,
        mlp_bias=False, num_attention_heads=4, num_key_value_heads=2, original_max_position_embeddings=32,
        partial_rotary_factor=0.75,
        rope_scaling={"long_factor": [1.0, 1.5, 3.0, 6.0, 9.0, 20.0], "short_factor": [1.0, 1.2, 1.6, 2.0, 3.0, 4.0],
                      "type": "longrope"},
        sliding_window=262144, tie_word_embeddings=True))
    draw_tensors(draw, config, 2)
    features = {"RoPE scaling": {"rope_scaling": None}, "original length": {"original_max_position_embeddings": 16},
                "short factors": {"rope_scaling.short_factor": [1.0] * 6},
                "RoPE attention factor": {"rope_scaling.attention_factor": 1.0},
                "RoPE theta": {"rope_theta": 50000.0}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def phi3_4k(draw):
    """Phi-3 mini 4k: no scaling, a sliding window, kv_heads and other keys left to their defaults."""
    config = draw.config(
        "Phi3ForCausalLM", "phi3", "4.39.3", hidden_size=32, intermediate_size=56, num_attention_heads=4,
        num_hidden_layers=2, original_max_position_embeddings=4096, rope_scaling=None, sliding_window=7,
        vocab_size=96)
    draw_tensors(draw, config, 4)
    features = {"window": {"sliding_window": None}, "window size": {"sliding_window": 8},
                "RoPE theta": {"rope_theta": 50000.0}, "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"phi3": phi3, "phi3-short": phi3_short, "phi3-4k": phi3_4k}
