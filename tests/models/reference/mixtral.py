"""Mixtral ("Mixtral of Experts", Jiang et al., 2024): Mistral with a mixture of experts in every layer."""
from . import decoder, experts, layers, rope


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=8)
    eps = config.get("rms_norm_eps", 1e-5)
    tokens = inputs["tokens"]
    tables = rope.tables(config, head_dim, tokens.shape[1], theta=1e6, longest=131072)
    mask = layers.causal_mask(tokens.shape[1], config.get("sliding_window"))

    def attend(x, w):
        return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables)

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        moe = w.under(f"model.layers.{index}.block_sparse_moe.")

        def feed(x, _, moe=moe):
            weights = experts.softmax_routing(moe.linear(x, "gate"), config.get("num_experts_per_tok", 2), True)
            return experts.mix(x, weights, experts.gated(moe, config.get("hidden_act", "silu"), ("w1", "w3", "w2")))

        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def mixtral(draw):
    """Two of four experts; rope_theta is missing, whose default is 1e6."""
    config = draw.config(
        "MixtralForCausalLM", "mixtral", "4.36.0.dev0", attention_dropout=0.0, bos_token_id=1, eos_token_id=2,
        hidden_act="silu", hidden_size=32, initializer_range=0.02, intermediate_size=32,
        max_position_embeddings=32768, num_attention_heads=4, num_experts_per_tok=2, num_hidden_layers=2,
        num_key_value_heads=2, num_local_experts=4, output_router_logits=False, rms_norm_eps=1e-05,
        router_aux_loss_coef=0.02, sliding_window=None, tie_word_embeddings=False, use_cache=True, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    for index in range(2):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", 32)
        decoder.draw_attention(draw, prefix + "self_attn.", 32, 4, 2, 8)
        draw.norm(prefix + "post_attention_layernorm", 32)
        draw.linear(prefix + "block_sparse_moe.gate", 4, 32)
        for expert in range(4):
            expert = f"{prefix}block_sparse_moe.experts.{expert}."
            draw.linear(expert + "w1", 32, 32, 1.5)
            draw.linear(expert + "w2", 32, 32, 0.15)
            draw.linear(expert + "w3", 32, 32)
    features = {"number of experts": {"num_experts_per_tok": 1}, "RoPE theta": {"rope_theta": 10000.0},
                "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"mixtral": mixtral}
