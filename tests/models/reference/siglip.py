"""SigLIP ("Sigmoid Loss for Language Image Pre-Training", Zhai et al., 2023)."""
import numpy as np

from . import clip, encoder, layers

TEXT = {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
        "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6}
VISION = dict(TEXT, patch_size=16, vision_use_head=True)


def text_model(config, w, tokens):
    """Every position sees all others; the embedding is a projection of the last position."""
    config = dict(TEXT, **config)
    x = w["embeddings.token_embedding.weight"][tokens] + w["embeddings.position_embedding.weight"][:tokens.shape[1]]
    x = encoder.norm(clip.stack(config, w, x), w, "final_layer_norm", config["layer_norm_eps"])
    return x, w.linear(x[:, -1], "head", True)


def pool(config, x, w):
    """A learnt query attends to the patches, then y + mlp(norm(y))."""
    heads, eps = config["num_attention_heads"], config["layer_norm_eps"]
    probe = np.broadcast_to(w["probe"], (len(x), 1, x.shape[2]))
    weights = np.split(w["attention.in_proj_weight"], 3)
    biases = np.split(w["attention.in_proj_bias"], 3)
    q, k, v = (layers.split_heads(y @ weight.T + bias, heads)
               for y, weight, bias in zip((probe, x, x), weights, biases))
    y = layers.join_heads(layers.attention(q, k, v, scale=q.shape[-1] ** -0.5))
    y = w.linear(y, "attention.out_proj", True)
    z = layers.ACTIVATIONS[config["hidden_act"]](w.linear(encoder.norm(y, w, "layernorm", eps), "mlp.fc1", True))
    return (y + w.linear(z, "mlp.fc2", True))[:, 0]


def vision_model(config, w, pixels):
    """The normed hidden state, and the pooled value unless vision_use_head is false."""
    config = dict(VISION, **config)
    x = encoder.embed_patches(pixels, w, "embeddings.patch_embedding", config["patch_size"])
    x = clip.stack(config, w, x + w["embeddings.position_embedding.weight"])
    x = encoder.norm(x, w, "post_layernorm", config["layer_norm_eps"])
    return x, pool(config, x, w.under("head.")) if config["vision_use_head"] else None


def forward(config, w, inputs):
    if config["architectures"] == ["SiglipVisionModel"]:
        return {"features": vision_model(config, w.under("vision_model."), inputs["pixel_values"])[0]}
    if config["architectures"] == ["SiglipTextModel"]:
        x, pooled = text_model(config, w.under("text_model."), inputs["tokens"])
        return {"features": x, "pooled": pooled}
    text = text_model(config["text_config"], w.under("text_model."), inputs["tokens"])[1]
    image = vision_model(config["vision_config"], w.under("vision_model."), inputs["pixel_values"])[1]
    logits = np.exp(w["logit_scale"]) * clip.cosines(image, text) + w["logit_bias"]
    return {"text_embedding": text, "image_embedding": image, "logits": logits}


def draw_vision(draw, config, prefix, has_head=True):
    hidden, inner, size = config["hidden_size"], config["intermediate_size"], config["patch_size"]
    encoder.draw_patches(draw, prefix + "embeddings.patch_embedding", hidden, 3, size, 0.1, 0.1)
    count = (config["image_size"] // size) ** 2
    draw.normal(prefix + "embeddings.position_embedding.weight", (count, hidden), 0.1)
    clip.draw_stack(draw, config, prefix)
    draw.norm(prefix + "post_layernorm", hidden, bias=0.3)
    if not has_head:
        return
    head = prefix + "head."
    draw.normal(head + "probe", (1, 1, hidden), 1.0)
    draw.normal(head + "attention.in_proj_weight", (3 * hidden, hidden), 1.3 / hidden ** 0.5)
    draw.normal(head + "attention.in_proj_bias", 3 * hidden, 0.5)
    draw.linear(head + "attention.out_proj", hidden, hidden, 1.0, 0.3)
    draw.norm(head + "layernorm", hidden, bias=0.3)
    encoder.draw_mlp(draw, head + "mlp.fc1", head + "mlp.fc2", hidden, inner, 1.0)


def draw_text(draw, config, outputs):
    hidden, positions = config["hidden_size"], config["max_position_embeddings"]
    draw.normal("text_model.embeddings.token_embedding.weight", (config["vocab_size"], hidden), 0.1)
    draw.normal("text_model.embeddings.position_embedding.weight", (positions, hidden), 0.1)
    clip.draw_stack(draw, config, "text_model.")
    draw.norm("text_model.final_layer_norm", hidden, bias=0.3)
    draw.linear("text_model.head", outputs, hidden, 1.0, 0.3)


def siglip(draw):
    """Two images and three texts. Sizes of images differ from those of texts; some keys have their defaults."""
    text = {"hidden_size": 32, "intermediate_size": 40, "max_position_embeddings": 16,
            "model_type": "siglip_text_model", "num_attention_heads": 4, "num_hidden_layers": 2,
            "projection_size": 24, "vocab_size": 96}
    vision = {"hidden_size": 24, "image_size": 16, "intermediate_size": 40, "model_type": "siglip_vision_model",
              "num_attention_heads": 3, "num_hidden_layers": 2, "patch_size": 4}
    config = draw.config("SiglipModel", "siglip", "4.37.0.dev0", initializer_factor=1.0, text_config=text,
                         vision_config=vision)
    draw.normal("logit_scale", 1, 0.0, 2.2)
    draw.normal("logit_bias", 1, 0.0, -3.0)
    draw_text(draw, text, 24)
    draw_vision(draw, vision, "vision_model.")
    features = {"activation of texts": {"text_config.hidden_act": "relu"},
                "activation of images": {"vision_config.hidden_act": "relu"},
                "form of GELU": {"text_config.hidden_act": "gelu"}}
    pixels = draw.random.standard_normal((2, 3, 16, 16)).astype(np.float32)
    return draw.instance(config, {"tokens": draw.tokens(96, 3, 16), "pixel_values": pixels}, features)


def siglip_text(draw):
    """The encoder of texts alone. Embeddings are as wide as hidden states; texts are shorter than the context."""
    config = draw.config(
        "SiglipTextModel", "siglip_text_model", "4.47.0", hidden_size=32, intermediate_size=40,
        max_position_embeddings=24, num_attention_heads=4, num_hidden_layers=2, vocab_size=96)
    draw_text(draw, config, 32)
    features = {"activation": {"hidden_act": "relu"}, "form of GELU": {"hidden_act": "gelu"}}
    return draw.instance(config, {"tokens": draw.tokens(96)}, features)


def siglip_vision(draw):
    """The encoder of images alone, without a pooling head. The outputs are the hidden states."""
    config = draw.config(
        "SiglipVisionModel", "siglip_vision_model", "4.47.0", attention_dropout=0.0, hidden_act="gelu_pytorch_tanh",
        hidden_size=32, image_size=15, intermediate_size=48, layer_norm_eps=1e-06, num_attention_heads=4,
        num_channels=3, num_hidden_layers=2, patch_size=3, vision_use_head=False)
    draw_vision(draw, config, "vision_model.", has_head=False)
    features = {"activation": {"hidden_act": "relu"}, "form of GELU": {"hidden_act": "gelu"}}
    pixels = draw.random.standard_normal((2, 3, 15, 15)).astype(np.float32)
    return draw.instance(config, {"pixel_values": pixels}, features)


VARIANTS = {"siglip": siglip, "siglip-text": siglip_text, "siglip-vision": siglip_vision}
