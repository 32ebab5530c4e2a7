"""DeepSeek-V2 ("DeepSeek-V2", 2024): as V3, but experts are chosen and weighted by the softmax of all scores."""
import numpy as np

from . import decoder, deepseek_v3, experts, layers


def route(config, x, w):
    """Weights of experts. A group is as good as its best expert; `greedy` has no groups."""
    probs = layers.softmax(w.linear(x, "gate"))
    kept = np.ones(probs.shape, bool)
    if config.get("topk_method", "greedy") == "group_limited_greedy":
        groups = config["n_group"]
        size = probs.shape[-1] // groups
        best = np.max(probs.reshape(*probs.shape[:-1], groups, size), axis=-1)
        kept = np.repeat(experts.top_k(best, config["topk_group"]), size, axis=-1)
    chosen = experts.top_k(np.where(kept, probs, 0), config["num_experts_per_tok"])
    return np.where(chosen, probs, 0) * config.get("routed_scaling_factor", 1.0)


def forward(config, w, inputs):
    return deepseek_v3.forward(dict({"first_k_dense_replace": 0}, **config), w, inputs, route)


def draw_tensors(draw, config):
    decoder.draw_ends(draw, config["vocab_size"], config["hidden_size"], tied=False)
    for index in range(config["num_hidden_layers"]):
        deepseek_v3.draw_layer(draw, config, f"model.layers.{index}.", index >= config.get("first_k_dense_replace", 0),
                               is_balanced=False)


def deepseek_v2(draw):
    """Three of four groups, yarn scaling with mscale, one dense layer, queries of low rank."""
    config = draw.config("DeepseekV2ForCausalLM", "deepseek_v2", "4.39.3", **dict(
        deepseek_v3.keys(
            first_k_dense_replace=1, max_position_embeddings=4096, n_group=4, n_routed_experts=8, n_shared_experts=2,
            norm_topk_prob=False, num_experts_per_tok=3, num_hidden_layers=2, q_lora_rank=20,
            rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707, "mscale_all_dim": 0.707,
                          "original_max_position_embeddings": 64, "type": "yarn"},
            routed_scaling_factor=16.0, topk_group=2),
        scoring_func="softmax", topk_method="group_limited_greedy"))
    draw_tensors(draw, config)
    features = {"RoPE scaling": {"rope_scaling": None}, "RoPE score factor": {"rope_scaling.mscale_all_dim": 0.5},
                "groups": {"topk_method": "greedy"}, "kept groups": {"topk_group": 1, "num_experts_per_tok": 2},
                "number of experts": {"num_experts_per_tok": 2}, "routed factor": {"routed_scaling_factor": 1.0},
                "epsilon": {"rms_norm_eps": 1e-5}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def deepseek_v2_lite(draw):
    """Queries without a low rank, greedy choice, mixtures in all layers; defaults of missing keys."""
    given = deepseek_v3.keys(max_position_embeddings=8192, moe_intermediate_size=16, n_routed_experts=6,
                             n_shared_experts=1, num_experts_per_tok=2, num_hidden_layers=2, q_lora_rank=None)
    for key in ("rope_theta", "rms_norm_eps", "scoring_func", "topk_method"):
        del given[key]
    config = draw.config("DeepseekV2ForCausalLM", "deepseek_v2", "4.56.0", **given)
    draw_tensors(draw, config)
    features = {"RoPE theta": {"rope_theta": 500.0}, "number of experts": {"num_experts_per_tok": 1},
                "routed factor": {"routed_scaling_factor": 2.0}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"deepseek-v2": deepseek_v2, "deepseek-v2-lite": deepseek_v2_lite}
