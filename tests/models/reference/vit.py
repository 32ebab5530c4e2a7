"""Vision Transformer ("An Image Is Worth 16x16 Words", Dosovitskiy et al., 2020)."""
import numpy as np

from . import encoder, layers


def forward(config, w, inputs):
    """`pooled` is tanh of a projection of the first position; a classifier reads the first position itself."""
    is_classifier = config["architectures"] == ["ViTForImageClassification"]
    body = w.under("vit.") if is_classifier else w
    eps, bias = config.get("layer_norm_eps", 1e-12), config.get("qkv_bias", True)
    act = layers.ACTIVATIONS[config.get("hidden_act", "gelu")]
    table = body.under("embeddings.")
    x = encoder.embed_patches(inputs["pixel_values"], table, "patch_embeddings.projection",
                              config.get("patch_size", 16))
    first = np.broadcast_to(table["cls_token"], (len(x), 1, x.shape[2]))
    x = np.concatenate([first, x], axis=1) + table["position_embeddings"]
    for index in range(config["num_hidden_layers"]):
        layer = body.under(f"encoder.layer.{index}.")
        y = encoder.norm(x, layer, "layernorm_before", eps)
        x = x + attend(y, layer.under("attention."), config["num_attention_heads"], bias)
        y = act(layer.linear(encoder.norm(x, layer, "layernorm_after", eps), "intermediate.dense", True))
        x = x + layer.linear(y, "output.dense", True)
    x = encoder.norm(x, body, "layernorm", eps)
    if is_classifier:
        return {"features": x, "logits": w.linear(x[:, 0], "classifier", True)}
    return {"features": x, "pooled": np.tanh(body.linear(x[:, 0], "pooler.dense", True))}


def attend(x, w, heads, bias):
    """Queries, keys and values have biases if qkv_bias is set, the output always has one."""
    q, k, v = (layers.split_heads(w.linear(x, f"attention.{name}", bias), heads) for name in ("query", "key", "value"))
    y = layers.attention(q, k, v, scale=q.shape[-1] ** -0.5)
    return w.linear(layers.join_heads(y), "output.dense", True)


def draw_body(draw, config, prefix, bias):
    hidden, inner, size = config["hidden_size"], config["intermediate_size"], config["patch_size"]
    count = (config["image_size"] // size) ** 2
    table = prefix + "embeddings."
    draw.normal(table + "cls_token", (1, 1, hidden), 0.1)
    draw.normal(table + "position_embeddings", (1, count + 1, hidden), 0.1)
    encoder.draw_patches(draw, table + "patch_embeddings.projection", hidden, config["num_channels"], size, 0.1, 0.1)
    for index in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layer.{index}."
        names = ("attention.query", "attention.key", "attention.value")
        for name, gain in zip(names, (1.5, 1.5, 1.0)):
            draw.linear(f"{layer}attention.{name}", hidden, hidden, gain, bias)
        draw.invisible.add(layer + "attention.attention.key.bias")
        draw.linear(layer + "attention.output.dense", hidden, hidden, 0.3, 0.1)
        draw.norm(layer + "layernorm_before", hidden, bias=0.3)
        draw.norm(layer + "layernorm_after", hidden, bias=0.3)
        encoder.draw_mlp(draw, layer + "intermediate.dense", layer + "output.dense", hidden, inner, 0.3)
    draw.norm(prefix + "layernorm", hidden, bias=0.3)


def keys(**given):
    return dict({
        "attention_probs_dropout_prob": 0.0, "encoder_stride": 4, "hidden_act": "gelu", "hidden_dropout_prob": 0.0,
        "hidden_size": 32, "image_size": 16, "initializer_range": 0.02, "intermediate_size": 48,
        "layer_norm_eps": 1e-12, "num_attention_heads": 4, "num_channels": 3, "num_hidden_layers": 2, "patch_size": 4,
        "qkv_bias": True}, **given)


def pixels(draw, channels=3, size=16, batch=2):
    return draw.random.standard_normal((batch, channels, size, size)).astype(np.float32)


def vit(draw):
    """A classifier of images pixel_values [batch, 3, 16, 16] with five labels, in patches of 4 x 4."""
    config = draw.config("ViTForImageClassification", "vit", "4.13.0.dev0", **keys(
        id2label={str(index): f"LABEL_{index}" for index in range(5)},
        label2id={f"LABEL_{index}": index for index in range(5)}))
    draw_body(draw, config, "vit.", 0.5)
    draw.linear("classifier", 5, 32, 3.0, 0.5)
    features = {"epsilon": {"layer_norm_eps": 1e-3}, "form of GELU": {"hidden_act": "gelu_new"}}
    return draw.instance(config, {"pixel_values": pixels(draw)}, features)


def vit_pooled(draw):
    """The body with a pooler, without biases of queries, keys and values; images [batch, 1, 12, 12]."""
    config = draw.config("ViTModel", "vit", "5.0.0", **keys(
        hidden_act="gelu_new", image_size=12, num_channels=1, num_hidden_layers=2, patch_size=3, pooler_act="tanh",
        pooler_output_size=32, qkv_bias=False))
    draw_body(draw, config, "", 0.0)
    draw.linear("pooler.dense", 32, 32, 0.7, 0.3)
    features = {"epsilon": {"layer_norm_eps": 1e-3}, "activation": {"hidden_act": "relu"}}
    return draw.instance(config, {"pixel_values": pixels(draw, 1, 12)}, features)


VARIANTS = {"vit": vit, "vit-pooled": vit_pooled}
