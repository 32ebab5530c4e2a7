"""Llama 2 and 3 ("Llama 2", Touvron et al., 2023; "The Llama 3 Herd of Models", 2024)."""
import numpy as np

from . import decoder, layers, rope


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config)
    eps = config.get("rms_norm_eps", 1e-6)
    bias, mlp_bias = config.get("attention_bias", False), config.get("mlp_bias", False)
    tokens = inputs["tokens"]
    tables = rope.tables(config, head_dim, tokens.shape[1])
    mask = layers.causal_mask(tokens.shape[1])

    def attend(x, w):
        return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, bias, bias)

    def feed(x, w):
        return decoder.gated_mlp(x, w, config.get("hidden_act", "silu"), mlp_bias)

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def llama3(draw):
    """Llama 3.1: grouped heads, llama3 scaling, a head of its own, keys of the older generation."""
    config = draw.config(
        "LlamaForCausalLM", "llama", "4.43.0.dev0", attention_bias=False, attention_dropout=0.0, bos_token_id=90,
        eos_token_id=[91, 92], hidden_act="silu", hidden_size=32, initializer_range=0.02, intermediate_size=56,
        max_position_embeddings=2048, mlp_bias=False, num_attention_heads=4, num_hidden_layers=3,
        num_key_value_heads=2, pretraining_tp=1, rms_norm_eps=1e-05,
        rope_scaling={"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                      "original_max_position_embeddings": 256, "rope_type": "llama3"},
        rope_theta=500000.0, tie_word_embeddings=False, use_cache=True, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 2, 8)
    features = {
        "RoPE scaling": {"rope_scaling": None}, "RoPE theta": {"rope_theta": ...},
        "RoPE interpolation": {"rope_scaling.low_freq_factor": 0.25}, "RoPE factor": {"rope_scaling.factor": 32.0},
        "original length": {"rope_scaling.original_max_position_embeddings": 2048},
        "epsilon": {"rms_norm_eps": ...}, "activation": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def llama3_tied(draw):
    """Llama 3.2: a tied head, head_dim that is not hidden_size / heads, keys of the newer generation."""
    config = draw.config(
        "LlamaForCausalLM", "llama", "5.0.0", attention_bias=False, attention_dropout=0.0, bos_token_id=90,
        eos_token_id=[91, 92], head_dim=16, hidden_act="silu", hidden_size=32, initializer_range=0.02,
        intermediate_size=56, max_position_embeddings=2048, mlp_bias=False, num_attention_heads=4,
        num_hidden_layers=2, num_key_value_heads=1, pad_token_id=None, pretraining_tp=1, rms_norm_eps=1e-05,
        rope_parameters={"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 64, "rope_theta": 500000.0, "rope_type": "llama3"},
        tie_word_embeddings=True, use_cache=True, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=True)
    decoder.draw_layers(draw, config, 1, 16)
    features = {
        "RoPE scaling": {"rope_parameters.rope_type": "default"}, "RoPE theta": {"rope_parameters.rope_theta": ...},
        "RoPE interpolation": {"rope_parameters.low_freq_factor": 0.25},
        "RoPE factor": {"rope_parameters.factor": 8.0},
        "original length": {"rope_parameters.original_max_position_embeddings": 2048},
        "epsilon": {"rms_norm_eps": ...}, "activation": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def llama_biased(draw):
    """Biases everywhere, linear scaling in its oldest spelling, defaults of all keys that may be missing."""
    config = draw.config(
        "LlamaForCausalLM", "llama", "4.40.0", attention_bias=True, hidden_size=32, intermediate_size=40,
        mlp_bias=True, num_attention_heads=4, num_hidden_layers=2, rope_scaling={"type": "linear", "factor": 2.0},
        vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 4, 8, qkv_bias=0.7, o_bias=0.05, mlp_bias=0.5)
    for index in range(2):
        draw.ignore(f"model.layers.{index}.self_attn.rotary_emb.inv_freq", 10000.0 ** (-np.arange(4) / 4), "F32")
    features = {"RoPE scaling": {"rope_scaling": None}, "RoPE theta": {"rope_theta": 500000.0},
                "epsilon": {"rms_norm_eps": 1e-5}, "activation": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def llama_dynamic(draw):
    """Dynamic scaling: the sequence is longer than max_position_embeddings, so theta grows."""
    config = draw.config(
        "LlamaForCausalLM", "llama", "4.45.0", hidden_act="silu", hidden_size=32, intermediate_size=40,
        max_position_embeddings=16, num_attention_heads=4, num_hidden_layers=2, num_key_value_heads=None,
        rms_norm_eps=1e-05, rope_scaling={"rope_type": "dynamic", "factor": 4.0}, rope_theta=10000.0,
        tie_word_embeddings=False, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    decoder.draw_layers(draw, config, 4, 8)
    features = {"RoPE scaling": {"rope_scaling": None}, "length": {"max_position_embeddings": 32},
                "factor": {"rope_scaling.factor": 2.0}, "epsilon": {"rms_norm_eps": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"llama3": llama3, "llama3-tied": llama3_tied, "llama-biased": llama_biased, "llama-dynamic": llama_dynamic}
