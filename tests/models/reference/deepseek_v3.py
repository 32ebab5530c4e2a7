"""DeepSeek-V3 ("DeepSeek-V3 Technical Report", 2024): multi-head latent attention and experts in groups."""
import numpy as np

from . import decoder, experts, layers, rope


def rope_and_scale(config, length):
    """RoPE tables, and the factor of scores, which grows with the scaling of RoPE."""
    given = rope.parameters(config, 10000.0)
    scale = (config.get("qk_nope_head_dim", 128) + config.get("qk_rope_head_dim", 64)) ** -0.5
    if given["kind"] != "default" and given.get("mscale_all_dim"):
        scale *= rope.yarn_scale(given["factor"], given["mscale_all_dim"]) ** 2
    return rope.tables(config, config.get("qk_rope_head_dim", 64), length, longest=4096), scale


def latent_attention(config, x, w, mask, tables, scale):
    """Queries, keys and values from low-rank projections. The rotated part of the keys is one head, shared by all."""
    heads, rank = config["num_attention_heads"], config.get("kv_lora_rank", 512)
    nope, bias = config.get("qk_nope_head_dim", 128), config.get("attention_bias", False)
    rotate = rope.rotate_neighbours if config.get("rope_interleave", True) else rope.rotate
    if config.get("q_lora_rank", 1536) is None:
        q = w.linear(x, "q_proj")
    else:
        q = w.linear(layers.rms_norm(w.linear(x, "q_a_proj", bias), w["q_a_layernorm.weight"], 1e-6), "q_b_proj")
    q = layers.split_heads(q, heads)
    low = w.linear(x, "kv_a_proj_with_mqa", bias)
    kv = w.linear(layers.rms_norm(low[..., :rank], w["kv_a_layernorm.weight"], 1e-6), "kv_b_proj")
    kv = layers.split_heads(kv, heads)
    k_rope = rotate(low[:, None, :, rank:], tables)
    q = np.concatenate([q[..., :nope], rotate(q[..., nope:], tables)], axis=-1)
    k = np.concatenate([kv[..., :nope], np.repeat(k_rope, heads, axis=1)], axis=-1)
    return w.linear(layers.join_heads(layers.attention(q, k, kv[..., nope:], mask, scale)), "o_proj", bias)


def route(config, x, w):
    """Weights of experts: sigmoid scores, chosen with a bias from the best groups, weighted without it."""
    count, groups = config.get("n_routed_experts", 256), config.get("n_group", 8)
    scores = layers.sigmoid(w.linear(x, "gate"))
    biased = scores + w["gate.e_score_correction_bias"]
    by_group = biased.reshape(*biased.shape[:-1], groups, count // groups)
    best = np.sum(np.sort(by_group, axis=-1)[..., -2:], axis=-1)
    kept = np.repeat(experts.top_k(best, config.get("topk_group", 4)), count // groups, axis=-1)
    chosen = experts.top_k(np.where(kept, biased, 0.0), config.get("num_experts_per_tok", 8))
    weights = np.where(chosen, scores, 0)
    if config.get("norm_topk_prob", True):
        weights = weights / (np.sum(weights, axis=-1, keepdims=True) + 1e-20)
    return weights * config.get("routed_scaling_factor", 2.5)


def forward(config, w, inputs, route=route):
    eps, activation = config.get("rms_norm_eps", 1e-6), config.get("hidden_act", "silu")
    tokens = inputs["tokens"]
    tables, scale = rope_and_scale(config, tokens.shape[1])
    mask = layers.causal_mask(tokens.shape[1])

    def attend(x, w):
        return latent_attention(config, x, w, mask, tables, scale)

    def dense(x, w):
        return decoder.gated_mlp(x, w, activation)

    def sparse(x, w):
        y = experts.mix(x, route(config, x, w), experts.gated(w, activation))
        return y + decoder.gated_mlp(x, w.under("shared_experts."), activation)

    x = w["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        feed = dense if index < config.get("first_k_dense_replace", 3) else sparse
        x = decoder.pre_norm(x, w.under(f"model.layers.{index}."), eps, attend, feed)
    x = layers.rms_norm(x, w["model.norm.weight"], eps)
    return {"logits": decoder.head(x, w, config.get("tie_word_embeddings", False))}


def draw_attention(draw, config, prefix, bias=0.0):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    q_rank, rank = config["q_lora_rank"], config["kv_lora_rank"]
    nope, turned, value = config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["v_head_dim"]
    if q_rank is None:
        draw.linear(prefix + "q_proj", heads * (nope + turned), hidden, 1.5)
    else:
        draw.linear(prefix + "q_a_proj", q_rank, hidden, 0.05, bias)
        draw.norm(prefix + "q_a_layernorm", q_rank)
        draw.linear(prefix + "q_b_proj", heads * (nope + turned), q_rank, 1.5)
    draw.linear(prefix + "kv_a_proj_with_mqa", rank + turned, hidden, 1.5, bias)
    draw.norm(prefix + "kv_a_layernorm", rank)
    draw.linear(prefix + "kv_b_proj", heads * (nope + value), rank, 1.2)
    draw.linear(prefix + "o_proj", hidden, heads * value, 0.1, bias)


def draw_layer(draw, config, prefix, is_sparse, bias=0.0, is_balanced=True):
    hidden, inner = config["hidden_size"], config["moe_intermediate_size"]
    count = config["n_routed_experts"]
    draw.norm(prefix + "input_layernorm", hidden)
    draw_attention(draw, config, prefix + "self_attn.", bias)
    draw.norm(prefix + "post_attention_layernorm", hidden)
    if not is_sparse:
        decoder.draw_mlp(draw, prefix + "mlp.", hidden, config["intermediate_size"])
        return
    draw.linear(prefix + "mlp.gate", count, hidden, 1.5)
    if is_balanced:
        draw.normal(prefix + "mlp.gate.e_score_correction_bias", count, 0.15, 0.5, dtype="F32")
    experts.draw_experts(draw, prefix + "mlp.", count, hidden, inner, 0.1)
    decoder.draw_mlp(draw, prefix + "mlp.shared_experts.", hidden, inner * config["n_shared_experts"])


def draw_next_token_layer(draw, config, index):
    """The layer that predicts a further token. It follows the others, and logits do not depend on it."""
    before = set(draw.tensors)
    prefix, hidden, vocab = f"model.layers.{index}.", config["hidden_size"], config["vocab_size"]
    draw.normal(prefix + "embed_tokens.weight", (vocab, hidden))
    draw.norm(prefix + "enorm", hidden)
    draw.norm(prefix + "hnorm", hidden)
    draw.linear(prefix + "eh_proj", hidden, 2 * hidden)
    draw_layer(draw, config, prefix, is_sparse=True)
    draw.norm(prefix + "shared_head.norm", hidden)
    draw.linear(prefix + "shared_head.head", vocab, hidden)
    draw.ignored |= set(draw.tensors) - before


def keys(**given):
    return dict({
        "attention_bias": False, "attention_dropout": 0.0, "aux_loss_alpha": 0.001, "bos_token_id": 0,
        "eos_token_id": 1, "ep_size": 1, "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02,
        "intermediate_size": 48, "kv_lora_rank": 16, "moe_intermediate_size": 12, "moe_layer_freq": 1,
        "num_attention_heads": 4, "num_key_value_heads": 4, "pretraining_tp": 1, "qk_nope_head_dim": 8,
        "qk_rope_head_dim": 8, "rms_norm_eps": 1e-06, "rope_theta": 10000, "scoring_func": "sigmoid",
        "seq_aux": True, "tie_word_embeddings": False, "topk_method": "noaux_tc", "use_cache": True,
        "v_head_dim": 12, "vocab_size": 96}, **given)


def deepseek_v3(draw):
    """Two of four groups, yarn scaling with mscale, one dense layer, and a layer for a further token."""
    config = draw.config("DeepseekV3ForCausalLM", "deepseek_v3", "4.33.1", **keys(
        first_k_dense_replace=1, max_position_embeddings=4096, n_group=4, n_routed_experts=8, n_shared_experts=1,
        norm_topk_prob=True, num_experts_per_tok=3, num_hidden_layers=2, num_nextn_predict_layers=1, q_lora_rank=20,
        rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
                      "original_max_position_embeddings": 64, "type": "yarn"},
        routed_scaling_factor=2.5, topk_group=2))
    decoder.draw_ends(draw, 96, 32, tied=False)
    for index in range(2):
        draw_layer(draw, config, f"model.layers.{index}.", index >= 1)
    draw_next_token_layer(draw, config, 2)
    features = {"RoPE scaling": {"rope_scaling": None}, "RoPE theta": {"rope_theta": 50000},
                "RoPE score factor": {"rope_scaling.mscale_all_dim": 0.5}, "interleaving": {"rope_interleave": False},
                "groups": {"n_group": 1, "topk_group": 1}, "kept groups": {"topk_group": 4},
                "number of experts": {"num_experts_per_tok": 2}, "sum of weights": {"norm_topk_prob": False},
                "routed factor": {"routed_scaling_factor": 1.0}, "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def deepseek_v3_plain(draw):
    """Moonlight: queries without a low rank, one group, no scaling, two shared experts, weights not normalised."""
    config = draw.config("DeepseekV3ForCausalLM", "deepseek_v3", "4.51.0", **keys(
        attention_bias=True, first_k_dense_replace=1, max_position_embeddings=8192, n_group=1, n_routed_experts=6,
        n_shared_experts=2, norm_topk_prob=False, num_experts_per_tok=2, num_hidden_layers=2,
        num_nextn_predict_layers=0, q_lora_rank=None, rms_norm_eps=1e-05, rope_theta=50000.0,
        routed_scaling_factor=2.446, topk_group=1))
    decoder.draw_ends(draw, 96, 32, tied=False)
    for index in range(2):
        draw_layer(draw, config, f"model.layers.{index}.", index >= 1, bias=0.1)
    features = {"RoPE theta": {"rope_theta": 10000}, "sum of weights": {"norm_topk_prob": True},
                "routed factor": {"routed_scaling_factor": ...}, "number of experts": {"num_experts_per_tok": 1},
                "epsilon": {"rms_norm_eps": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def deepseek_v3_fp8(draw):
    """Linear layers in float8, as published: weights that span several blocks, and smaller ones."""
    config = draw.config("DeepseekV3ForCausalLM", "deepseek_v3", "4.33.1", **keys(
        first_k_dense_replace=1, hidden_size=144, intermediate_size=136, max_position_embeddings=4096, n_group=1,
        n_routed_experts=4, n_shared_experts=1, norm_topk_prob=True, num_attention_heads=4, num_experts_per_tok=2,
        num_hidden_layers=2, num_key_value_heads=4, num_nextn_predict_layers=0, q_lora_rank=24,
        qk_nope_head_dim=32, quantization_config={
            "activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [128, 128]},
        rope_scaling=None, routed_scaling_factor=2.5, topk_group=1, v_head_dim=16, vocab_size=64))
    decoder.draw_ends(draw, 64, 144, tied=False)
    for index in range(2):
        draw_layer(draw, config, f"model.layers.{index}.", index >= 1)
    for name in list(draw.tensors):
        if name.startswith("model.layers.") and "_proj" in name:
            draw.quantise(name[:-len(".weight")])
    features = {"RoPE theta": {"rope_theta": 50000}, "routed factor": {"routed_scaling_factor": 1.0}}
    return draw.instance(config, {"tokens": draw.tokens(64)}, features)


VARIANTS = {"deepseek-v3": deepseek_v3, "deepseek-v3-plain": deepseek_v3_plain,
            "deepseek-v3-fp8": deepseek_v3_fp8}
