"""Qwen3 ("Qwen3 Technical Report", 2025): a norm of each head of queries and keys, head_dim independent of the rest."""
from . import decoder, layers, rope
from .qwen2 import layer_types


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=32, head_dim=128)
    eps, bias = config.get("rms_norm_eps", 1e-6), config.get("attention_bias", False)
    tokens = inputs["tokens"]
    length = tokens.shape[1]
    tables = rope.tables(config, head_dim, length, longest=32768)
    full, sliding = layers.causal_mask(length), layers.causal_mask(length, config.get("sliding_window", 4096))

    def norm(x, weight):
        return layers.rms_norm(x, weight, eps)

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_act", "silu"))

    x = w["model.embed_tokens.weight"][tokens]
    for index, is_sliding in enumerate(layer_types(config)):
        mask = sliding if is_sliding else full

        def attend(x, w, mask=mask):
            return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, bias, bias, norm)

        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = norm(x, w["model.norm.weight"])
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def keys(**given):
    """Keys that all published files have."""
    return dict({
        "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 90, "eos_token_id": 91,
        "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02, "intermediate_size": 56,
        "max_position_embeddings": 40960, "max_window_layers": 2, "num_hidden_layers": 2, "rms_norm_eps": 1e-06,
        "rope_scaling": None, "rope_theta": 1000000, "sliding_window": None, "tie_word_embeddings": False,
        "use_cache": True, "use_sliding_window": False, "vocab_size": 96}, **given)


def qwen3(draw):
    """Heads of 16 with a hidden size of 32."""
    config = draw.config("Qwen3ForCausalLM", "qwen3", "4.51.0",
                         **keys(head_dim=16, num_attention_heads=4, num_hidden_layers=3, num_key_value_heads=2))
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 2, 16, head_norms=True)
    features = {"RoPE theta": {"rope_theta": ...}, "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def qwen3_biased(draw):
    """Biases, a tied head, and a missing head_dim, whose default is 128."""
    config = draw.config("Qwen3ForCausalLM", "qwen3", "4.51.0", **keys(
        attention_bias=True, hidden_size=24, num_attention_heads=2, num_key_value_heads=1, tie_word_embeddings=True))
    decoder.draw_ends(draw, 96, 24, tied=True)
    decoder.draw_layers(draw, config, 1, 128, qkv_bias=0.7, o_bias=0.05, head_norms=True)
    features = {"RoPE theta": {"rope_theta": ...}, "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"qwen3": qwen3, "qwen3-biased": qwen3_biased}
