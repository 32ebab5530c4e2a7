"""Gemma 3 ("Gemma 3 Technical Report", Gemma Team, 2025): five layers with windows for each one without.

Layers with windows have a RoPE theta of their own and no scaling. Heads of queries and keys are normed.
"""
from . import decoder, layers, rope
from .gemma2 import draw_tensors, embedding_scale, layer


def layer_types(config):
    """Each sliding_window_pattern-th layer is full."""
    pattern = config.get("sliding_window_pattern", config.get("_sliding_window_pattern", 6))
    return config.get("layer_types") or ["sliding_attention" if (index + 1) % pattern else "full_attention"
                                         for index in range(config["num_hidden_layers"])]


def masks(config, length):
    """Masks by type of layer. Without causality, a window of W reaches W / 2 positions to either side."""
    window = config.get("sliding_window", 4096)
    if config.get("use_bidirectional_attention"):
        return {"full_attention": None, "sliding_attention": layers.window_mask(length, window // 2)}
    return {"full_attention": layers.causal_mask(length), "sliding_attention": layers.causal_mask(length, window)}


def rope_tables(config, head_dim, length):
    """Tables by type of layer, from either generation of keys."""
    if "rope_parameters" in config:
        return {kind: rope.tables(config, head_dim, length, theta, 131072, kind)
                for kind, theta in [("full_attention", 1e6), ("sliding_attention", 10000.0)]}
    local = {"rope_theta": config.get("rope_local_base_freq", 10000.0)}
    return {"full_attention": rope.tables(config, head_dim, length, 1e6, 131072),
            "sliding_attention": rope.tables(local, head_dim, length)}


def hidden_states(config, w, x, mask_of):
    """The last hidden state after the final norm, from embeddings."""
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=4, head_dim=256)
    eps, bias = config.get("rms_norm_eps", 1e-6), config.get("attention_bias", False)
    tables = rope_tables(config, head_dim, x.shape[1])
    scale = config.get("query_pre_attn_scalar", 256) ** -0.5
    cap = config.get("attn_logit_softcapping")

    def norm(x, weight):
        return layers.rms_norm(x, 1 + weight, eps)

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_activation", "gelu_pytorch_tanh"))

    for index, kind in enumerate(layer_types(config)):

        def attend(x, w, kind=kind):
            return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask_of[kind], tables[kind], bias, bias,
                                          norm, scale=scale, cap=cap)

        x = layer(x, w.under(f"layers.{index}."), norm, attend, feed)
    return norm(x, w["norm.weight"])


def forward(config, w, inputs):
    tokens = inputs["tokens"]
    body = w if config["architectures"] == ["Gemma3TextModel"] else w.under("model.")
    x = body["embed_tokens.weight"][tokens] * embedding_scale(config)
    x = hidden_states(config, body, x, masks(config, tokens.shape[1]))
    if config["architectures"] == ["Gemma3TextModel"]:
        return {"features": x}
    logits = decoder.head(x, w, config.get("tie_word_embeddings", True))
    return {"logits": layers.soft_cap(logits, config.get("final_logit_softcapping"))}


def gemma3(draw):
    """Gemma 3 1B: keys of the older generation, the pattern by its default."""
    config = draw.config(
        "Gemma3ForCausalLM", "gemma3_text", "4.50.0.dev0", attention_bias=False, attention_dropout=0.0,
        attn_logit_softcapping=None, bos_token_id=2, cache_implementation="hybrid", eos_token_id=[1, 95],
        final_logit_softcapping=None, head_dim=16, hidden_activation="gelu_pytorch_tanh", hidden_size=32,
        initializer_range=0.02, intermediate_size=40, max_position_embeddings=32768, num_attention_heads=2,
        num_hidden_layers=7, num_key_value_heads=1, pad_token_id=0, query_pre_attn_scalar=24, rms_norm_eps=1e-06,
        rope_local_base_freq=10000, rope_scaling=None, rope_theta=1000000, sliding_window=7, use_cache=True,
        vocab_size=96)
    draw_tensors(draw, config, 1, 16, head_norms=0.3)
    features = {"window": {"sliding_window": ...}, "window size": {"sliding_window": 8},
                "pattern": {"sliding_window_pattern": 2}, "scale": {"query_pre_attn_scalar": ...},
                "RoPE theta": {"rope_theta": 10000}, "RoPE theta of windows": {"rope_local_base_freq": 1000000},
                "epsilon": {"rms_norm_eps": 1e-5}, "form of GELU": {"hidden_activation": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gemma3_types(draw):
    """Keys of the newer generation: RoPE parameters by type of layer, with scaling in full layers."""
    kinds = ["sliding_attention", "full_attention", "sliding_attention"]
    config = draw.config(
        "Gemma3ForCausalLM", "gemma3_text", "5.0.0", _sliding_window_pattern=2, attention_bias=False,
        attention_dropout=0.0, attn_logit_softcapping=None, bos_token_id=2, eos_token_id=1,
        final_logit_softcapping=None, head_dim=16, hidden_activation="gelu_pytorch_tanh", hidden_size=40,
        initializer_range=0.02, intermediate_size=40, layer_types=kinds, max_position_embeddings=131072,
        num_attention_heads=4, num_hidden_layers=3, num_key_value_heads=2, pad_token_id=0, query_pre_attn_scalar=16,
        rms_norm_eps=1e-06,
        rope_parameters={"full_attention": {"factor": 8.0, "rope_theta": 1000000.0, "rope_type": "linear"},
                         "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}},
        sliding_window=7, tie_word_embeddings=True, use_bidirectional_attention=False, use_cache=True, vocab_size=96)
    draw_tensors(draw, config, 2, 16, head_norms=0.3)
    features = {"window": {"sliding_window": ...}, "types": {"layer_types": kinds[:1] * 3},
                "RoPE scaling": {"rope_parameters.full_attention.rope_type": "default"},
                "RoPE factor": {"rope_parameters.full_attention.factor": 2.0},
                "RoPE theta": {"rope_parameters.full_attention.rope_theta": 10000.0},
                "RoPE theta of windows": {"rope_parameters.sliding_attention.rope_theta": 1000000.0},
                "causality": {"use_bidirectional_attention": True}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gemma3_embedding(draw):
    """EmbeddingGemma: attention to both sides, no head and no prefix `model.`; the outputs are the hidden states."""
    config = draw.config(
        "Gemma3TextModel", "gemma3_text", "4.57.0.dev0", _sliding_window_pattern=2, attention_bias=False,
        attention_dropout=0.0, attn_logit_softcapping=None, bos_token_id=2, eos_token_id=1,
        final_logit_softcapping=None, head_dim=16, hidden_activation="gelu_pytorch_tanh", hidden_size=32,
        initializer_range=0.02, intermediate_size=40,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"], max_position_embeddings=2048,
        num_attention_heads=2, num_hidden_layers=3, num_key_value_heads=1, pad_token_id=0, query_pre_attn_scalar=16,
        rms_norm_eps=1e-06, rope_local_base_freq=10000.0, rope_scaling=None, rope_theta=1000000.0, sliding_window=8,
        use_bidirectional_attention=True, use_cache=True, vocab_size=96)
    draw_tensors(draw, config, 1, 16, head_norms=0.3, prefix="", final=0.0)
    features = {"both sides": {"use_bidirectional_attention": False}, "window size": {"sliding_window": 10},
                "window": {"sliding_window": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"gemma3": gemma3, "gemma3-types": gemma3_types, "gemma3-embedding": gemma3_embedding}
