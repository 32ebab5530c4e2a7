"""Gemma 2 ("Gemma 2", Gemma Team, 2024): soft caps, four norms per layer, and windows in every other layer.

The weight w of a norm multiplies by 1 + w. The embedding is multiplied by sqrt(hidden_size), rounded to the type of
the file.
"""
from . import decoder, layers, rope, safetensors


def embedding_scale(config):
    """sqrt(hidden_size) as stored in the type of the file."""
    dtype = config.get("dtype") or config.get("torch_dtype")
    return safetensors.round_to(config["hidden_size"] ** 0.5, "BF16" if dtype == "bfloat16" else "F32")


def layer(x, w, norm, attend, feed):
    """Norms before and after each half. The second norm of a half comes before the sum with the residual."""
    y = attend(norm(x, w["input_layernorm.weight"]), w.under("self_attn."))
    x = x + norm(y, w["post_attention_layernorm.weight"])
    y = feed(norm(x, w["pre_feedforward_layernorm.weight"]), w.under("mlp."))
    return x + norm(y, w["post_feedforward_layernorm.weight"])


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=4, head_dim=256)
    eps, bias = config.get("rms_norm_eps", 1e-6), config.get("attention_bias", False)
    tokens = inputs["tokens"]
    length = tokens.shape[1]
    tables = rope.tables(config, head_dim, length, longest=8192)
    full, sliding = layers.causal_mask(length), layers.causal_mask(length, config.get("sliding_window", 4096))
    scale = config.get("query_pre_attn_scalar", 256) ** -0.5
    cap = config.get("attn_logit_softcapping", 50.0)
    kinds = config.get("layer_types") or ["sliding_attention", "full_attention"] * config["num_hidden_layers"]

    def norm(x, weight):
        return layers.rms_norm(x, 1 + weight, eps)

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_activation", "gelu_pytorch_tanh"))

    x = w["model.embed_tokens.weight"][tokens] * embedding_scale(config)
    for index in range(config["num_hidden_layers"]):
        mask = sliding if kinds[index] == "sliding_attention" else full

        def attend(x, w, mask=mask):
            return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, bias, bias, scale=scale,
                                          cap=cap)

        x = layer(x, w.under(f"model.layers.{index}."), norm, attend, feed)
    logits = decoder.head(norm(x, w["model.norm.weight"]), w, config.get("tie_word_embeddings", True))
    return {"logits": layers.soft_cap(logits, config.get("final_logit_softcapping", 30.0))}


def draw_tensors(draw, config, kv_heads, head_dim, score_gain=1.5, head_norms=0.0, prefix="model.", final=18.0):
    """`head_norms` is the mean of the weights of q_norm and k_norm, 0 for none."""
    hidden = config["hidden_size"]
    draw.normal(prefix + "embed_tokens.weight", (config["vocab_size"], hidden), 0.02)
    draw.norm(prefix + "norm", hidden, final, neutral=0.0)
    for index in range(config["num_hidden_layers"]):
        layer = f"{prefix}layers.{index}."
        draw.norm(layer + "input_layernorm", hidden, 0.0, neutral=0.0)
        decoder.draw_attention(draw, layer + "self_attn.", hidden, config["num_attention_heads"], kv_heads, head_dim,
                               score_gain=score_gain)
        if head_norms:
            draw.norm(layer + "self_attn.q_norm", head_dim, head_norms, neutral=0.0)
            draw.norm(layer + "self_attn.k_norm", head_dim, head_norms, neutral=0.0)
        draw.normal(layer + "post_attention_layernorm.weight", hidden, 0.05, -0.9)
        draw.norm(layer + "pre_feedforward_layernorm", hidden, 0.0, neutral=0.0)
        decoder.draw_mlp(draw, layer + "mlp.", hidden, config["intermediate_size"], gain=0.03)
        draw.normal(layer + "post_feedforward_layernorm.weight", hidden, 0.05, -0.9)


def gemma2(draw):
    """Keys as published: query_pre_attn_scalar is not head_dim."""
    config = draw.config(
        "Gemma2ForCausalLM", "gemma2", "4.42.0.dev0", attention_bias=False, attention_dropout=0.0,
        attn_logit_softcapping=50.0, bos_token_id=2, cache_implementation="hybrid", eos_token_id=1,
        final_logit_softcapping=30.0, head_dim=16, hidden_act="gelu_pytorch_tanh",
        hidden_activation="gelu_pytorch_tanh", hidden_size=40, initializer_range=0.02, intermediate_size=56,
        max_position_embeddings=8192, num_attention_heads=4, num_hidden_layers=4, num_key_value_heads=2,
        pad_token_id=0, query_pre_attn_scalar=24, rms_norm_eps=1e-06, rope_theta=10000.0, sliding_window=7,
        sliding_window_size=7, use_cache=True, vocab_size=96)
    draw_tensors(draw, config, 2, 16, 2.0)
    features = {"score cap": {"attn_logit_softcapping": None}, "logit cap": {"final_logit_softcapping": None},
                "window size": {"sliding_window": 8}, "no window": {"sliding_window": 64},
                "layers": {"layer_types": ["full_attention", "sliding_attention"] * 2},
                "scale": {"query_pre_attn_scalar": 16}, "RoPE theta": {"rope_theta": 1e6},
                "epsilon": {"rms_norm_eps": 1e-5}, "form of GELU": {"hidden_activation": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gemma2_defaults(draw):
    """Keys that may be missing are missing. `hidden_act` is there and has no effect."""
    config = draw.config(
        "Gemma2ForCausalLM", "gemma2", "4.42.0.dev0", bos_token_id=2, eos_token_id=1, head_dim=16, hidden_act="silu",
        hidden_size=36, intermediate_size=56, num_attention_heads=4, num_hidden_layers=2, num_key_value_heads=2,
        pad_token_id=0, sliding_window=7, vocab_size=96)
    draw_tensors(draw, config, 2, 16, 3.5)
    features = {"score cap": {"attn_logit_softcapping": None}, "logit cap": {"final_logit_softcapping": None},
                "window": {"sliding_window": ...}, "scale": {"query_pre_attn_scalar": 16},
                "RoPE theta": {"rope_theta": 1e6}, "epsilon": {"rms_norm_eps": 1e-5},
                "activation": {"hidden_activation": "silu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"gemma2": gemma2, "gemma2-defaults": gemma2_defaults}
