"""Kimi Linear ("Kimi Linear", Moonshot AI, 2025): gated delta rules with a decay per channel, latent attention."""
import numpy as np

from . import decoder, deepseek_v3, delta, experts, layers
from .mamba2 import causal_convolution

MLA = {"kv_lora_rank": 512, "q_lora_rank": None, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64}
# Names of the configuration, and their names in DeepSeek-V3, whose routing is the same.
ROUTING = {"num_experts": "n_routed_experts", "num_experts_per_token": "num_experts_per_tok",
           "num_expert_group": "n_group", "topk_group": "topk_group", "moe_renormalize": "norm_topk_prob",
           "routed_scaling_factor": "routed_scaling_factor"}
DEFAULTS = {"num_experts": 256, "num_experts_per_token": 8, "num_expert_group": 1, "topk_group": 1,
            "moe_renormalize": True, "routed_scaling_factor": 2.446}


def delta_attention(config, x, w):
    """Decays of each channel of keys and gates of outputs come from projections of low rank."""
    given = config["linear_attn_config"]
    shape = x.shape[:2] + (given["num_heads"], given["head_dim"])
    q, k, v = (layers.silu(causal_convolution(w.linear(x, f"{name}_proj"), w[f"{name}_conv1d.weight"])).reshape(shape)
               for name in "qkv")
    decay = w.linear(w.linear(x, "f_a_proj"), "f_b_proj") + w["dt_bias"]
    decay = -np.exp(w["A_log"].reshape(-1, 1)) * layers.softplus(decay.reshape(shape))
    y = delta.gated_delta_rule(q, k, v, decay, layers.sigmoid(w.linear(x, "b_proj")))
    gate = layers.sigmoid(w.linear(w.linear(x, "g_a_proj"), "g_b_proj").reshape(shape))
    y = layers.rms_norm(y, w["o_norm.weight"], config.get("rms_norm_eps", 1e-5)) * gate
    return w.linear(y.reshape(x.shape[:2] + (-1,)), "o_proj")


def forward(config, w, inputs):
    """Layers of attention have no positions: the part of keys that all heads share is not rotated."""
    eps, activation = config.get("rms_norm_eps", 1e-5), config.get("hidden_act", "silu")
    tokens = inputs["tokens"]
    mask = layers.causal_mask(tokens.shape[1])
    mla = dict(MLA, **config)
    half = mla["qk_rope_head_dim"] // 2
    still = np.ones((tokens.shape[1], half)), np.zeros((tokens.shape[1], half))
    scale = (mla["qk_nope_head_dim"] + mla["qk_rope_head_dim"]) ** -0.5
    routing = {other: config.get(name, DEFAULTS[name]) for name, other in ROUTING.items()}

    def latent(x, w):
        return deepseek_v3.latent_attention(mla, x, w, mask, still, scale)

    def linear(x, w):
        return delta_attention(config, x, w)

    def dense(x, w):
        return decoder.gated_mlp(x, w, activation)

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        layer = w.under(f"model.layers.{index}.")
        moe = layer.under("block_sparse_moe.")

        def sparse(x, _, moe=moe):
            return (experts.mix(x, deepseek_v3.route(routing, x, moe),
                                experts.gated(moe, activation, ("w1", "w3", "w2")))
                    + decoder.gated_mlp(x, moe.under("shared_experts."), activation))

        attend = linear if index + 1 in config["linear_attn_config"]["kda_layers"] else latent
        x = decoder.pre_norm(x, layer, eps, attend, sparse if index >= config["first_k_dense_replace"] else dense)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_delta(draw, config, prefix):
    hidden, given = config["hidden_size"], config["linear_attn_config"]
    heads, head_dim, width = given["num_heads"], given["head_dim"], given["short_conv_kernel_size"]
    for name in "qkv":
        draw.linear(f"{prefix}{name}_proj", heads * head_dim, hidden, 1.3)
        draw.normal(f"{prefix}{name}_conv1d.weight", (heads * head_dim, 1, width), 1.5)
    draw.normal(prefix + "A_log", (1, 1, heads, 1), 0.7, -0.5, dtype="F32")
    draw.normal(prefix + "dt_bias", heads * head_dim, 0.7, -0.5, dtype="F32")
    draw.linear(prefix + "f_a_proj", head_dim, hidden)
    draw.linear(prefix + "f_b_proj", heads * head_dim, head_dim)
    draw.linear(prefix + "b_proj", heads, hidden)
    draw.linear(prefix + "g_a_proj", head_dim, hidden)
    draw.linear(prefix + "g_b_proj", heads * head_dim, head_dim, 1.5)
    draw.norm(prefix + "o_norm", head_dim)
    draw.linear(prefix + "o_proj", hidden, heads * head_dim, 0.1)


def draw_moe(draw, config, prefix):
    hidden, inner = config["hidden_size"], config["moe_intermediate_size"]
    draw.linear(prefix + "gate", config["num_experts"], hidden, 1.5)
    draw.normal(prefix + "gate.e_score_correction_bias", config["num_experts"], 0.15, 0.5, dtype="F32")
    for index in range(config["num_experts"]):
        expert = f"{prefix}experts.{index}."
        draw.linear(expert + "w1", inner, hidden, 1.5)
        draw.linear(expert + "w2", hidden, inner, 0.1)
        draw.linear(expert + "w3", inner, hidden)
    decoder.draw_mlp(draw, prefix + "shared_experts.", hidden, inner * config["num_shared_experts"])


def kimi_linear(draw):
    """Layers are counted from 1 in linear_attn_config: layer 3 of 4 has latent attention. Layer 1 is dense."""
    config = draw.config(
        "KimiLinearForCausalLM", "kimi_linear", "4.55.0", bos_token_id=90, eos_token_id=91, first_k_dense_replace=1,
        head_dim=8, hidden_act="silu", hidden_size=32, initializer_range=0.02, intermediate_size=40, kv_lora_rank=12,
        linear_attn_config={"full_attn_layers": [3], "head_dim": 8, "kda_layers": [1, 2, 4], "num_heads": 3,
                            "short_conv_kernel_size": 4},
        mla_use_nope=True, model_max_length=1048576, moe_intermediate_size=8, moe_layer_freq=1,
        moe_renormalize=True, moe_router_activation_func="sigmoid", num_attention_heads=4, num_expert_group=1,
        num_experts=4, num_experts_per_token=2, num_hidden_layers=4, num_key_value_heads=4,
        num_nextn_predict_layers=0, num_shared_experts=1, q_lora_rank=None, qk_nope_head_dim=8, qk_rope_head_dim=4,
        rms_norm_eps=1e-05, rope_scaling=None, rope_theta=10000.0, routed_scaling_factor=2.446,
        tie_word_embeddings=False, topk_group=1, use_cache=True, use_grouped_topk=True, v_head_dim=12, vocab_size=96)
    decoder.draw_ends(draw, 96, 32, tied=False)
    for index in range(4):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", 32)
        if index == 2:
            deepseek_v3.draw_attention(draw, config, prefix + "self_attn.")
        else:
            draw_delta(draw, config, prefix + "self_attn.")
        draw.norm(prefix + "post_attention_layernorm", 32)
        if index:
            draw_moe(draw, config, prefix + "block_sparse_moe.")
        else:
            decoder.draw_mlp(draw, prefix + "mlp.", 32, 40)
    features = {"number of experts": {"num_experts_per_token": 1}, "sum of weights": {"moe_renormalize": False},
                "routed factor": {"routed_scaling_factor": 1.0}, "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"kimi-linear": kimi_linear}
