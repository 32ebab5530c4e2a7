"""Qwen3 with mixtures of experts ("Qwen3 Technical Report", 2025)."""
from . import decoder, experts, layers, rope
from .qwen3 import keys


def expert_count(config):
    return config.get("num_experts", config.get("num_local_experts", 128))


def is_sparse(config, index):
    """Whether a layer is a mixture: each decoder_sparse_step-th one that mlp_only_layers does not list."""
    return (index not in config.get("mlp_only_layers", []) and expert_count(config) > 0
            and (index + 1) % config.get("decoder_sparse_step", 1) == 0)


def forward(config, w, inputs):
    heads, kv_heads, head_dim = decoder.sizes(config, kv_heads=4)
    eps, bias = config.get("rms_norm_eps", 1e-6), config.get("attention_bias", False)
    activation = config.get("hidden_act", "silu")
    tokens = inputs["tokens"]
    tables = rope.tables(config, head_dim, tokens.shape[1], longest=32768)
    window = config.get("sliding_window", 4096) if config.get("use_sliding_window", False) else None
    mask = layers.causal_mask(tokens.shape[1], window)

    def norm(x, weight):
        return layers.rms_norm(x, weight, eps)

    def attend(x, w):
        return decoder.self_attention(x, w, heads, kv_heads, head_dim, mask, tables, bias, bias, norm)

    def dense(x, w):
        return decoder.gated_mlp(x, w, activation)

    def sparse(x, w):
        weights = experts.softmax_routing(w.linear(x, "gate"), config.get("num_experts_per_tok", 8),
                                          config.get("norm_topk_prob", False))
        form = experts.stacked if w.prefix + "experts.down_proj" in w.tensors else experts.gated
        return experts.mix(x, weights, form(w, activation))

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        feed = sparse if is_sparse(config, index) else dense
        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = norm(x, w["model.norm.weight"])
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_tensors(draw, config, kv_heads, head_dim, is_stacked=False):
    hidden, inner, count = config["hidden_size"], config["moe_intermediate_size"], expert_count(config)
    decoder.draw_ends(draw, config["vocab_size"], hidden, config["tie_word_embeddings"])
    for index in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", hidden)
        decoder.draw_attention(draw, prefix + "self_attn.", hidden, config["num_attention_heads"], kv_heads, head_dim)
        draw.norm(prefix + "self_attn.q_norm", head_dim, 1.5)
        draw.norm(prefix + "self_attn.k_norm", head_dim, 1.5)
        draw.norm(prefix + "post_attention_layernorm", hidden)
        if not is_sparse(config, index):
            decoder.draw_mlp(draw, prefix + "mlp.", hidden, config["intermediate_size"])
            continue
        draw.linear(prefix + "mlp.gate", count, hidden, 2.0)
        if is_stacked:
            draw.normal(prefix + "mlp.experts.gate_up_proj", (count, 2 * inner, hidden), 1.3 / hidden ** 0.5)
            draw.normal(prefix + "mlp.experts.down_proj", (count, hidden, inner), 0.15 / inner ** 0.5)
        else:
            experts.draw_experts(draw, prefix + "mlp.", count, hidden, inner)


def qwen3_moe(draw):
    """Three of eight experts in every layer; their weights add to 1."""
    config = draw.config("Qwen3MoeForCausalLM", "qwen3_moe", "4.51.0", **keys(
        decoder_sparse_step=1, head_dim=16, mlp_only_layers=[], moe_intermediate_size=16, norm_topk_prob=True,
        num_attention_heads=4, num_experts=8, num_experts_per_tok=3, num_key_value_heads=1,
        output_router_logits=False, rope_theta=1000000.0, router_aux_loss_coef=0.001))
    draw_tensors(draw, config, 1, 16)
    features = {"sum of weights": {"norm_topk_prob": False}, "number of experts": {"num_experts_per_tok": 2},
                "RoPE theta": {"rope_theta": ...}, "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def qwen3_moe_mixed(draw):
    """Mixtures in layer 1 of 4 alone: 0 and 2 are between steps, 3 is listed. norm_topk_prob is missing, so false."""
    config = draw.config("Qwen3MoeForCausalLM", "qwen3_moe", "4.51.0", **keys(
        decoder_sparse_step=2, head_dim=16, intermediate_size=40, mlp_only_layers=[3], moe_intermediate_size=16,
        num_attention_heads=2, num_experts=6, num_experts_per_tok=2, num_hidden_layers=4, num_key_value_heads=2,
        output_router_logits=False, rope_theta=10000.0, router_aux_loss_coef=0.001, tie_word_embeddings=True))
    draw_tensors(draw, config, 2, 16)
    features = {"sum of weights": {"norm_topk_prob": True}, "number of experts": {"num_experts_per_tok": 1}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def qwen3_moe_stacked(draw):
    """Keys and names of the newer generation: the experts of a layer are stacked."""
    given = keys(
        decoder_sparse_step=1, head_dim=16, mlp_only_layers=[], moe_intermediate_size=24, norm_topk_prob=True,
        num_attention_heads=4, num_experts_per_tok=2, num_key_value_heads=2, num_local_experts=4,
        output_router_logits=False, rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
        router_aux_loss_coef=0.001)
    del given["rope_theta"], given["rope_scaling"], given["max_window_layers"]
    config = draw.config("Qwen3MoeForCausalLM", "qwen3_moe", "5.0.0", **given)
    draw_tensors(draw, config, 2, 16, is_stacked=True)
    features = {"sum of weights": {"norm_topk_prob": False}, "number of experts": {"num_experts_per_tok": 1},
                "RoPE theta": {"rope_parameters.rope_theta": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"qwen3-moe": qwen3_moe, "qwen3-moe-mixed": qwen3_moe_mixed, "qwen3-moe-stacked": qwen3_moe_stacked}
