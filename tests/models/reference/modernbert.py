"""ModernBERT ("Smarter, Better, Faster, Longer", Warner et al., 2024): an encoder with RoPE and local attention."""
import numpy as np

from . import encoder, layers, rope


def layer_types(config):
    every = config.get("global_attn_every_n_layers", 3)
    return config.get("layer_types") or ["sliding_attention" if index % every else "full_attention"
                                         for index in range(config["num_hidden_layers"])]


def rope_tables(config, head_dim, length):
    """Tables by type of layer, from either generation of keys."""
    if "rope_parameters" in config:
        return {kind: rope.tables(config, head_dim, length, theta, 8192, kind)
                for kind, theta in [("full_attention", 160000.0), ("sliding_attention", 10000.0)]}
    full = config.get("global_rope_theta", 160000.0)
    return {"full_attention": rope.tables({"rope_theta": full}, head_dim, length),
            "sliding_attention": rope.tables({"rope_theta": config.get("local_rope_theta") or full}, head_dim,
                                             length)}


def masks(config, inputs):
    """A local layer sees local_attention / 2 positions to either side."""
    padding = encoder.padding_mask(inputs)
    window = layers.window_mask(inputs["tokens"].shape[1], config.get("local_attention", 128) // 2)
    return {"full_attention": padding, "sliding_attention": window if padding is None else window & padding}


def attend(config, x, w, mask, tables):
    """The rows of Wqkv are [queries, keys, values], each by head."""
    batch, length, hidden = x.shape
    heads, bias = config["num_attention_heads"], config.get("attention_bias", False)
    q, k, v = w.linear(x, "Wqkv", bias).reshape(batch, length, 3, heads, hidden // heads).transpose(2, 0, 3, 1, 4)
    y = layers.attention(rope.rotate(q, tables), rope.rotate(k, tables), v, mask, (hidden // heads) ** -0.5)
    return w.linear(layers.join_heads(y), "Wo", bias)


def forward(config, w, inputs):
    eps = config.get("norm_eps", 1e-5)
    act = layers.ACTIVATIONS[config.get("hidden_activation", "gelu")]
    tokens, body = inputs["tokens"], w.under("model.")
    tables = rope_tables(config, config["hidden_size"] // config["num_attention_heads"], tokens.shape[1])
    mask = masks(config, inputs)

    def norm(x, w, name):
        return layers.layer_norm(x, w[name + ".weight"], w[name + ".bias"] if config.get("norm_bias") else None, eps)

    x = norm(body["embeddings.tok_embeddings.weight"][tokens], body, "embeddings.norm")
    for index, kind in enumerate(layer_types(config)):
        layer = body.under(f"layers.{index}.")
        y = norm(x, layer, "attn_norm") if index else x
        x = x + attend(config, y, layer.under("attn."), mask[kind], tables[kind])
        inner, gate = np.split(layer.linear(norm(x, layer, "mlp_norm"), "mlp.Wi", config.get("mlp_bias", False)), 2,
                               axis=-1)
        x = x + layer.linear(act(inner) * gate, "mlp.Wo", config.get("mlp_bias", False))
    x = norm(x, body, "final_norm")
    y = layers.ACTIVATIONS[config.get("classifier_activation", "gelu")](
        w.linear(x, "head.dense", config.get("classifier_bias", False)))
    logits = norm(y, w, "head.norm") @ body["embeddings.tok_embeddings.weight"].T
    logits = logits + w["decoder.bias"] if config.get("decoder_bias", True) else logits
    return {"features": encoder.without_padding(x, inputs), "logits": encoder.without_padding(logits, inputs)}


def draw_tensors(draw, config, norm_bias=0.0, attention_bias=0.0, mlp_bias=0.0):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    draw.normal("model.embeddings.tok_embeddings.weight", (config["vocab_size"], hidden), 0.02)
    draw.norm("model.embeddings.norm", hidden, bias=norm_bias)
    for index in range(config["num_hidden_layers"]):
        layer = f"model.layers.{index}."
        if index:
            draw.norm(layer + "attn_norm", hidden, bias=norm_bias)
        draw.linear(layer + "attn.Wqkv", 3 * hidden, hidden, 1.4, attention_bias)
        draw.linear(layer + "attn.Wo", hidden, hidden, 0.8, attention_bias)
        draw.norm(layer + "mlp_norm", hidden, bias=norm_bias)
        draw.linear(layer + "mlp.Wi", 2 * inner, hidden, 1.3, mlp_bias)
        draw.linear(layer + "mlp.Wo", hidden, inner, 0.8, mlp_bias)
    draw.norm("model.final_norm", hidden, bias=norm_bias)
    draw.linear("head.dense", hidden, hidden, 1.5)
    draw.norm("head.norm", hidden, 25.0, norm_bias)
    draw.normal("decoder.bias", config["vocab_size"], 1.0)


def modernbert(draw):
    """A masked language model with the keys of the older generation, without biases."""
    config = draw.config(
        "ModernBertForMaskedLM", "modernbert", "4.47.0.dev0", attention_bias=False, attention_dropout=0.0,
        bos_token_id=91, classifier_activation="gelu", classifier_bias=False, classifier_dropout=0.0,
        classifier_pooling="mean", cls_token_id=91, decoder_bias=True, deterministic_flash_attn=False,
        embedding_dropout=0.0, eos_token_id=92, global_attn_every_n_layers=3, global_rope_theta=160000.0,
        gradient_checkpointing=False, hidden_activation="gelu", hidden_size=32, initializer_cutoff_factor=2.0,
        initializer_range=0.02, intermediate_size=40, layer_norm_eps=1e-05, local_attention=8,
        local_rope_theta=10000.0, max_position_embeddings=8192, mlp_bias=False, mlp_dropout=0.0, norm_bias=False,
        norm_eps=1e-05, num_attention_heads=4, num_hidden_layers=4, pad_token_id=93,
        position_embedding_type="absolute", sep_token_id=92, sparse_pred_ignore_index=-100, sparse_prediction=False,
        vocab_size=96)
    draw_tensors(draw, config)
    features = {"window": {"local_attention": ...}, "window size": {"local_attention": 6},
                "types": {"global_attn_every_n_layers": 2}, "RoPE theta": {"global_rope_theta": 10000.0},
                "RoPE theta of windows": {"local_rope_theta": 160000.0}, "epsilon": {"norm_eps": 1e-6},
                "attention mask": {"inputs.attention_mask": ...}, "form of GELU": {"hidden_activation": "gelu_new"}}
    inputs = {"tokens": draw.tokens(96), "attention_mask": encoder.attention_mask([23, 17])}
    return draw.instance(config, inputs, features)


def modernbert_types(draw):
    """Biases and the keys of the newer generation; no padding."""
    kinds = ["full_attention", "sliding_attention", "full_attention"]
    config = draw.config(
        "ModernBertForMaskedLM", "modernbert", "5.0.0", attention_bias=True, hidden_activation="silu",
        hidden_size=32, intermediate_size=40, layer_types=kinds, local_attention=6, max_position_embeddings=8192,
        mlp_bias=True, norm_bias=True, num_attention_heads=4, num_hidden_layers=3,
        rope_parameters={"full_attention": {"rope_theta": 160000.0, "rope_type": "default"},
                         "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}},
        vocab_size=96)
    draw_tensors(draw, config, 0.3, 0.5, 0.5)
    features = {"types": {"layer_types": ["full_attention"] * 3}, "window size": {"local_attention": 8},
                "RoPE theta": {"rope_parameters.full_attention.rope_theta": 10000.0},
                "RoPE theta of windows": {"rope_parameters.sliding_attention.rope_theta": 160000.0},
                "activation": {"hidden_activation": ...}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


VARIANTS = {"modernbert": modernbert, "modernbert-types": modernbert_types}
