"""GPT-2 ("Language Models are Unsupervised Multitask Learners", Radford et al., 2019)."""
import numpy as np

from . import encoder, layers


def convolve(x, w, name):
    """A linear layer whose weight is stored as [in, out]."""
    return x @ w[name + ".weight"] + w[name + ".bias"]


def forward(config, w, inputs):
    body = w.under("transformer.") if "transformer.wte.weight" in w.tensors else w
    eps, heads = config.get("layer_norm_epsilon", 1e-5), config["n_head"]
    act = layers.ACTIVATIONS[config.get("activation_function", "gelu_new")]
    tokens = inputs["tokens"]
    mask = layers.causal_mask(tokens.shape[1])
    x = body["wte.weight"][tokens] + body["wpe.weight"][:tokens.shape[1]]
    for index in range(config["n_layer"]):
        block = body.under(f"h.{index}.")
        q, k, v = np.split(convolve(encoder.norm(x, block, "ln_1", eps), block, "attn.c_attn"), 3, axis=-1)
        q, k, v = (layers.split_heads(y, heads) for y in (q, k, v))
        scale = q.shape[-1] ** -0.5 if config.get("scale_attn_weights", True) else 1.0
        scale = scale / (index + 1) if config.get("scale_attn_by_inverse_layer_idx", False) else scale
        y = layers.join_heads(layers.attention(q, k, v, mask, scale))
        x = x + convolve(y, block, "attn.c_proj")
        y = act(convolve(encoder.norm(x, block, "ln_2", eps), block, "mlp.c_fc"))
        x = x + convolve(y, block, "mlp.c_proj")
    x = encoder.norm(x, body, "ln_f", eps)
    is_tied = config.get("tie_word_embeddings", True)
    return {"logits": x @ (body["wte.weight"] if is_tied else w["lm_head.weight"]).T}


def draw_convolution(draw, name, rows, columns, gain, bias):
    draw.normal(name + ".weight", (rows, columns), gain / rows ** 0.5)
    draw.normal(name + ".bias", columns, bias)


def draw_body(draw, config, prefix, final):
    hidden, inner = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    draw.normal(prefix + "wte.weight", (config["vocab_size"], hidden), 0.02)
    draw.normal(prefix + "wpe.weight", (config["n_positions"], hidden), 0.02)
    for index in range(config["n_layer"]):
        block = f"{prefix}h.{index}."
        draw.norm(block + "ln_1", hidden, bias=0.3)
        draw_convolution(draw, block + "attn.c_attn", hidden, 3 * hidden, 1.4, 0.5)
        draw_convolution(draw, block + "attn.c_proj", hidden, hidden, 0.1, 0.03)
        draw.norm(block + "ln_2", hidden, bias=0.3)
        encoder.draw_mlp(draw, block + "mlp.c_fc", block + "mlp.c_proj", hidden, inner, 0.1)
        for name in ("c_fc", "c_proj"):
            draw.tensors[f"{block}mlp.{name}.weight"] = draw.tensors[f"{block}mlp.{name}.weight"].T
    draw.norm(prefix + "ln_f", hidden, final, 1.0)


def keys(**given):
    return dict({
        "activation_function": "gelu_new", "attn_pdrop": 0.1, "bos_token_id": 95, "embd_pdrop": 0.1,
        "eos_token_id": 95, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "n_ctx": 32, "n_embd": 32,
        "n_head": 4, "n_layer": 2, "n_positions": 32, "resid_pdrop": 0.1, "summary_activation": None,
        "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index",
        "summary_use_proj": True, "vocab_size": 96}, **given)


def gpt2(draw):
    """No prefix, a tied head, and causal masks as buffers with the name of a bias."""
    config = draw.config("GPT2LMHeadModel", "gpt2", "4.30.0", **keys())
    draw_body(draw, config, "", 20.0)
    for index in range(2):
        draw.ignore(f"h.{index}.attn.bias", np.tril(np.ones((32, 32)))[None, None], "F32")
    features = {"form of GELU": {"activation_function": "gelu"}, "epsilon": {"layer_norm_epsilon": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def gpt2_scaled(draw):
    """Prefix `transformer.`, a head of its own, scores divided by the layer's number, n_inner, another activation."""
    config = draw.config("GPT2LMHeadModel", "gpt2", "4.37.0", **keys(
        activation_function="relu", n_inner=40, n_layer=3, reorder_and_upcast_attn=True,
        scale_attn_by_inverse_layer_idx=True, scale_attn_weights=True, tie_word_embeddings=False, use_cache=True))
    draw_body(draw, config, "transformer.", 1.0)
    draw.linear("lm_head", 96, 32, 3.0)
    for index in range(3):
        draw.ignore(f"transformer.h.{index}.attn.bias", np.tril(np.ones((32, 32)))[None, None], "BOOL")
        draw.ignore(f"transformer.h.{index}.attn.masked_bias", np.float64(-10000.0), "F32")
    features = {"scale by layer": {"scale_attn_by_inverse_layer_idx": ...}, "scale": {"scale_attn_weights": False},
                "activation": {"activation_function": "gelu_new"}, "epsilon": {"layer_norm_epsilon": 1e-6}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"gpt2": gpt2, "gpt2-scaled": gpt2_scaled}
