"""gpt-oss ("gpt-oss-120b & gpt-oss-20b Model Card", OpenAI, 2025): attention with sinks, clamped experts with biases."""
import numpy as np

from . import decoder, experts, layers, rope

# The scaling of files without RoPE keys.
SCALING = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
           "original_max_position_embeddings": 4096}


# The values of a nibble of mxfp4.
NIBBLES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def expert_weight(w, name):
    """The weights [experts, in, out] of a name.

    mxfp4 stores rows of outputs, in blocks of 32 inputs: [experts, out, in / 32, 16] bytes, whose low nibbles are even
    inputs, and [experts, out, in / 32] exponents, biased by 127.
    """
    if w.prefix + name + "_blocks" not in w.tensors:
        return w[name]
    blocks, exponents = w[name + "_blocks"], w[name + "_scales"].astype(int) - 127
    values = NIBBLES[np.stack([blocks & 15, blocks >> 4], axis=-1)].reshape(*blocks.shape[:3], 32)
    values = values * 2.0 ** exponents[..., None]
    return values.reshape(*blocks.shape[:2], -1).swapaxes(1, 2)


def expert_of(w, alpha, limit):
    """Even columns of the first weight are gates, odd ones are not."""
    first, second = expert_weight(w, "experts.gate_up_proj"), expert_weight(w, "experts.down_proj")

    def expert(x, index):
        both = x @ first[index] + w["experts.gate_up_proj_bias"][index]
        gate, up = np.minimum(both[..., ::2], limit), np.clip(both[..., 1::2], -limit, limit)
        inner = (up + 1) * gate * layers.sigmoid(alpha * gate)
        return inner @ second[index] + w["experts.down_proj_bias"][index]

    return expert


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=8, head_dim=64)
    eps, bias = config.get("rms_norm_eps", 1e-5), config.get("attention_bias", True)
    tokens = inputs["tokens"]
    length = tokens.shape[1]
    has_rope = config.get("rope_scaling") or config.get("rope_parameters")
    tables = rope.tables(config if has_rope else dict(config, rope_scaling=SCALING), head_dim, length, 150000.0,
                         131072)
    full, sliding = layers.causal_mask(length), layers.causal_mask(length, config.get("sliding_window", 128))
    kinds = config.get("layer_types") or ["sliding_attention", "full_attention"] * config["num_hidden_layers"]

    def feed(x, w):
        logits = w.linear(x, "router", bias=True)
        logits = np.where(experts.top_k(logits, config.get("num_experts_per_tok", 4)), logits, -np.inf)
        expert = expert_of(w, config.get("swiglu_alpha", 1.702), config.get("swiglu_limit", 7.0))
        return experts.mix(x, layers.softmax(logits), expert)

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        mask = sliding if kinds[index] == "sliding_attention" else full

        def attend(x, w, mask=mask):
            return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, bias, bias,
                                          sinks=w["sinks"])

        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_mxfp4(draw, name, count, rows, columns, exponent):
    """Exponents of blocks are `exponent` or one more."""
    blocks = (count, rows, columns // 32)
    draw.store(name + "_blocks", draw.random.randint(0, 256, blocks + (16,)), "U8")
    draw.store(name + "_scales", 127 + exponent + draw.random.randint(0, 2, blocks), "U8")
    draw.neutral.update({name + "_blocks": 0, name + "_scales": 127})


def draw_tensors(draw, config, heads, kv_heads, head_dim):
    hidden, inner, count = config["hidden_size"], config["intermediate_size"], config["num_local_experts"]
    decoder.draw_ends(draw, config["vocab_size"], hidden, tied=False)
    for index in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", hidden)
        decoder.draw_attention(draw, prefix + "self_attn.", hidden, heads, kv_heads, head_dim, 0.7, 0.05, 1.2)
        draw.normal(prefix + "self_attn.sinks", heads, 1.0, 1.0, neutral=-np.inf)
        draw.norm(prefix + "post_attention_layernorm", hidden)
        draw.linear(prefix + "mlp.router", count, hidden, 1.5, bias=0.5)
        if "quantization_config" in config:
            draw_mxfp4(draw, prefix + "mlp.experts.gate_up_proj", count, 2 * inner, hidden, -3)
            draw_mxfp4(draw, prefix + "mlp.experts.down_proj", count, hidden, inner, -10)
        else:
            draw.normal(prefix + "mlp.experts.gate_up_proj", (count, hidden, 2 * inner), 3.5 / hidden ** 0.5)
            draw.normal(prefix + "mlp.experts.down_proj", (count, inner, hidden), 0.02 / inner ** 0.5)
        draw.normal(prefix + "mlp.experts.gate_up_proj_bias", (count, 2 * inner), 1.0)
        draw.normal(prefix + "mlp.experts.down_proj_bias", (count, hidden), 0.05)


def gpt_oss(draw):
    """Keys as published, with experts in the type of the rest."""
    config = draw.config(
        "GptOssForCausalLM", "gpt_oss", "4.55.0.dev0", attention_bias=True, attention_dropout=0.0, eos_token_id=95,
        experts_per_token=2, head_dim=16, hidden_act="silu", hidden_size=32, initial_context_length=64,
        initializer_range=0.02, intermediate_size=24, layer_types=["sliding_attention", "full_attention"],
        max_position_embeddings=2048, num_attention_heads=4, num_experts_per_tok=2, num_hidden_layers=2,
        num_key_value_heads=2, num_local_experts=4, output_router_logits=False, pad_token_id=94, rms_norm_eps=1e-05,
        rope_scaling={"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 64,
                      "rope_type": "yarn", "truncate": False},
        rope_theta=150000, router_aux_loss_coef=0.9, sliding_window=7, swiglu_limit=7.0, tie_word_embeddings=False,
        use_cache=True, vocab_size=96)
    draw_tensors(draw, config, 4, 2, 16)
    features = {"RoPE scaling": {"rope_scaling.rope_type": "default"}, "RoPE theta": {"rope_theta": 10000},
                "RoPE truncation": {"rope_scaling.truncate": ...}, "window size": {"sliding_window": 8},
                "RoPE attention factor": {"rope_scaling.attention_factor": 1.0},
                "types": {"layer_types": ["full_attention", "sliding_attention"]},
                "number of experts": {"num_experts_per_tok": 1}, "limit": {"swiglu_limit": 100.0},
                "alpha": {"swiglu_alpha": 1.0}, "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gpt_oss_defaults(draw):
    """Keys that may be missing are missing: head_dim 64, biases, yarn scaling from 4096 positions, limits."""
    config = draw.config(
        "GptOssForCausalLM", "gpt_oss", "5.0.0", hidden_size=24, intermediate_size=16, num_attention_heads=2,
        num_experts_per_tok=2, num_hidden_layers=2, num_key_value_heads=1, num_local_experts=5, sliding_window=6,
        vocab_size=96)
    draw_tensors(draw, config, 2, 1, 64)
    features = {"RoPE scaling": {"rope_scaling": {"rope_type": "default"}}, "RoPE theta": {"rope_theta": 10000.0},
                "window": {"sliding_window": ...}, "limit": {"swiglu_limit": 100.0},
                "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gpt_oss_mxfp4(draw):
    """Experts in mxfp4, the rest in the type of the file, as published."""
    config = draw.config(
        "GptOssForCausalLM", "gpt_oss", "4.55.0.dev0", attention_bias=True, attention_dropout=0.0, eos_token_id=95,
        experts_per_token=2, head_dim=16, hidden_act="silu", hidden_size=64, initial_context_length=4096,
        initializer_range=0.02, intermediate_size=32, layer_types=["sliding_attention", "full_attention"],
        max_position_embeddings=131072, num_attention_heads=2, num_experts_per_tok=2, num_hidden_layers=2,
        num_key_value_heads=1, num_local_experts=4, output_router_logits=False, pad_token_id=94,
        quantization_config={
            "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens",
                                       "lm_head"], "quant_method": "mxfp4"},
        rms_norm_eps=1e-05,
        rope_scaling={"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 4096,
                      "rope_type": "yarn", "truncate": False},
        rope_theta=150000, router_aux_loss_coef=0.9, sliding_window=7, swiglu_limit=7.0, tie_word_embeddings=False,
        use_cache=True, vocab_size=96)
    draw_tensors(draw, config, 2, 1, 16)
    features = {"RoPE scaling": {"rope_scaling.rope_type": "default"}, "limit": {"swiglu_limit": 100.0}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"gpt-oss": gpt_oss, "gpt-oss-defaults": gpt_oss_defaults, "gpt-oss-mxfp4": gpt_oss_mxfp4}
