"""Qwen2 and Qwen2.5 ("Qwen2 Technical Report", 2024): Llama with biases of queries, keys and values."""
from . import decoder, layers, rope


def layer_types(config):
    """Whether each layer has the sliding window: those from max_window_layers on, if use_sliding_window is set."""
    count = config["num_hidden_layers"]
    if config.get("layer_types"):
        return [kind == "sliding_attention" for kind in config["layer_types"]]
    return [config.get("use_sliding_window", False) and index >= config.get("max_window_layers", 28)
            for index in range(count)]


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=32)
    eps = config.get("rms_norm_eps", 1e-6)
    tokens = inputs["tokens"]
    length = tokens.shape[1]
    tables = rope.tables(config, head_dim, length, longest=32768)
    full, sliding = layers.causal_mask(length), layers.causal_mask(length, config.get("sliding_window", 4096))

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_act", "silu"))

    x = w["model.embed_tokens.weight"][tokens]
    for index, is_sliding in enumerate(layer_types(config)):
        mask = sliding if is_sliding else full

        def attend(x, w, mask=mask):
            return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, qkv_bias=True)

        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def qwen2(draw):
    """The sliding window in layers 2 and 3 of 4."""
    config = draw.config(
        "Qwen2ForCausalLM", "qwen2", "4.40.1", attention_dropout=0.0, bos_token_id=90, eos_token_id=91,
        hidden_act="silu", hidden_size=32, initializer_range=0.02, intermediate_size=56,
        max_position_embeddings=32768, max_window_layers=2, num_attention_heads=4, num_hidden_layers=4,
        num_key_value_heads=2, rms_norm_eps=1e-06, rope_theta=1000000.0, sliding_window=6, tie_word_embeddings=False,
        use_cache=True, use_sliding_window=True, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 2, 8, qkv_bias=0.7)
    features = {"window": {"use_sliding_window": False}, "window size": {"sliding_window": 7},
                "layers with a window": {"max_window_layers": 3}, "layers without": {"max_window_layers": 0},
                "RoPE theta": {"rope_theta": ...}, "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def qwen2_yarn(draw):
    """Qwen2.5: a tied head, a window that is switched off, and yarn scaling as users add it."""
    config = draw.config(
        "Qwen2ForCausalLM", "qwen2", "4.43.1", attention_dropout=0.0, bos_token_id=90, eos_token_id=90,
        hidden_act="silu", hidden_size=32, initializer_range=0.02, intermediate_size=56, max_position_embeddings=800,
        max_window_layers=0, num_attention_heads=2, num_hidden_layers=2, num_key_value_heads=2, rms_norm_eps=1e-06,
        rope_scaling={"factor": 4.0, "original_max_position_embeddings": 800, "type": "yarn"}, rope_theta=10000.0,
        sliding_window=6, tie_word_embeddings=True, use_cache=True, use_sliding_window=False, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=True)
    decoder.draw_layers(draw, config, 2, 16, qkv_bias=0.7)
    features = {"unused window": {"use_sliding_window": True}, "RoPE scaling": {"rope_scaling": None},
                "RoPE factor": {"rope_scaling.factor": 2.0},
                "original length": {"rope_scaling.original_max_position_embeddings": 3200},
                "RoPE attention factor": {"rope_scaling.attention_factor": 1.0},
                "RoPE truncation": {"rope_scaling.truncate": False},
                "RoPE fast bound": {"rope_scaling.beta_fast": 3.0}, "RoPE slow bound": {"rope_scaling.beta_slow": 0.2},
                "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"qwen2": qwen2, "qwen2-yarn": qwen2_yarn}
