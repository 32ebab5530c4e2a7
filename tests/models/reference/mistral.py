"""Mistral ("Mistral 7B", Jiang et al., 2023): Llama without biases, with a sliding window in every layer."""
from . import decoder, layers, rope


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=8)
    eps = config.get("rms_norm_eps", 1e-6)
    tokens = inputs["tokens"]
    tables = rope.tables(config, head_dim, tokens.shape[1], longest=131072)
    mask = layers.causal_mask(tokens.shape[1], config.get("sliding_window", 4096))

    def attend(x, w):
        return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables)

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_act", "silu"))

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def mistral(draw):
    """Mistral 7B v0.1: a window of 7 positions."""
    config = draw.config(
        "MistralForCausalLM", "mistral", "4.34.0.dev0", bos_token_id=1, eos_token_id=2, hidden_act="silu",
        hidden_size=32, initializer_range=0.02, intermediate_size=56, max_position_embeddings=32768,
        num_attention_heads=4, num_hidden_layers=3, num_key_value_heads=2, rms_norm_eps=1e-05, rope_theta=10000.0,
        sliding_window=7, tie_word_embeddings=False, use_cache=True, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 2, 8)
    features = {"window": {"sliding_window": None}, "window size": {"sliding_window": 8},
                "RoPE theta": {"rope_theta": 1e6}, "epsilon": {"rms_norm_eps": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def mistral_nemo(draw):
    """Mistral Nemo: head_dim of its own, no window, a larger theta."""
    config = draw.config(
        "MistralForCausalLM", "mistral", "4.43.0.dev0", attention_dropout=0.0, bos_token_id=1, eos_token_id=2,
        head_dim=16, hidden_act="silu", hidden_size=40, initializer_range=0.02, intermediate_size=56,
        max_position_embeddings=1024000, num_attention_heads=4, num_hidden_layers=2, num_key_value_heads=2,
        rms_norm_eps=1e-05, rope_theta=1000000.0, sliding_window=None, tie_word_embeddings=False, use_cache=True,
        vocab_size=96)
    decoder.draw_ends(draw, 96, 40, tied=False)
    decoder.draw_layers(draw, config, 2, 16)
    features = {"full attention": {"sliding_window": 22}, "RoPE theta": {"rope_theta": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"mistral": mistral, "mistral-nemo": mistral_nemo}
