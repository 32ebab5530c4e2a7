"""CLIP ("Learning Transferable Visual Models From Natural Language Supervision", Radford et al., 2021)."""
import numpy as np

from . import encoder, layers

TEXT = {"hidden_size": 512, "intermediate_size": 2048, "num_attention_heads": 8, "num_hidden_layers": 12,
        "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "eos_token_id": 49407}
VISION = {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
          "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "patch_size": 32}


def stack(config, w, x, mask=None):
    """Layers with norms before attention and before the MLP. SigLIP has the same ones."""
    eps, act = config["layer_norm_eps"], layers.ACTIVATIONS[config["hidden_act"]]
    for index in range(config["num_hidden_layers"]):
        layer = w.under(f"encoder.layers.{index}.")
        y = encoder.norm(x, layer, "layer_norm1", eps)
        x = x + encoder.multi_head(y, y, layer.under("self_attn."), encoder.PROJECTIONS,
                                   config["num_attention_heads"], mask)
        y = encoder.norm(x, layer, "layer_norm2", eps)
        x = x + layer.linear(act(layer.linear(y, "mlp.fc1", True)), "mlp.fc2", True)
    return x


def text_model(config, w, tokens):
    """The last hidden state and its value at the end token."""
    config = dict(TEXT, **config)
    length = tokens.shape[1]
    x = w["embeddings.token_embedding.weight"][tokens] + w["embeddings.position_embedding.weight"][:length]
    x = stack(config, w, x, layers.causal_mask(length))
    x = encoder.norm(x, w, "final_layer_norm", config["layer_norm_eps"])
    if config["eos_token_id"] == 2:  # old files: the end token is the one with the largest id
        ends = np.argmax(tokens, axis=1)
    else:
        ends = np.argmax(tokens == config["eos_token_id"], axis=1)
    return x, x[np.arange(len(x)), ends]


def vision_model(config, w, pixels):
    """The last hidden state and the normed value of the class token."""
    config = dict(VISION, **config)
    x = encoder.embed_patches(pixels, w, "embeddings.patch_embedding", config["patch_size"], bias=False)
    first = np.broadcast_to(w["embeddings.class_embedding"], (len(x), 1, x.shape[2]))
    x = np.concatenate([first, x], axis=1) + w["embeddings.position_embedding.weight"]
    x = stack(config, w, encoder.norm(x, w, "pre_layrnorm", config["layer_norm_eps"]))
    return x, encoder.norm(x[:, 0], w, "post_layernorm", config["layer_norm_eps"])


def cosines(images, texts):
    """Cosines of all pairs: [images, texts]."""
    images, texts = (x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-30) for x in (images, texts))
    return images @ texts.T


def forward(config, w, inputs):
    if config["architectures"] == ["CLIPTextModel"]:
        x, pooled = text_model(config, w.under("text_model."), inputs["tokens"])
        return {"features": x, "pooled": pooled}
    if config["architectures"] == ["CLIPVisionModelWithProjection"]:
        x, pooled = vision_model(config, w.under("vision_model."), inputs["pixel_values"])
        return {"features": x, "pooled": pooled, "image_embedding": w.linear(pooled, "visual_projection")}
    text = text_model(config["text_config"], w.under("text_model."), inputs["tokens"])[1]
    image = vision_model(config["vision_config"], w.under("vision_model."), inputs["pixel_values"])[1]
    text, image = w.linear(text, "text_projection"), w.linear(image, "visual_projection")
    return {"text_embedding": text, "image_embedding": image, "logits": np.exp(w["logit_scale"]) * cosines(image, text)}


def draw_stack(draw, config, prefix):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    for index in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layers.{index}."
        encoder.draw_multi_head(draw, layer + "self_attn.", encoder.PROJECTIONS, hidden, 0.3)
        draw.norm(layer + "layer_norm1", hidden, bias=0.3)
        encoder.draw_mlp(draw, layer + "mlp.fc1", layer + "mlp.fc2", hidden, inner, 0.3)
        draw.norm(layer + "layer_norm2", hidden, bias=0.3)


def draw_text(draw, config, buffers=True):
    hidden, positions = config["hidden_size"], config["max_position_embeddings"]
    draw.normal("text_model.embeddings.token_embedding.weight", (config["vocab_size"], hidden), 0.1)
    draw.normal("text_model.embeddings.position_embedding.weight", (positions, hidden), 0.1)
    draw_stack(draw, config, "text_model.")
    draw.norm("text_model.final_layer_norm", hidden, bias=0.3)
    if buffers:
        draw.ignore("text_model.embeddings.position_ids", np.arange(positions)[None], "I64")


def draw_vision(draw, config):
    hidden = config["hidden_size"]
    count = (config["image_size"] // config["patch_size"]) ** 2
    table = "vision_model.embeddings."
    draw.normal(table + "class_embedding", hidden, 0.1)
    encoder.draw_patches(draw, table + "patch_embedding", hidden, 3, config["patch_size"], 0.1, 0.0)
    draw.normal(table + "position_embedding.weight", (count + 1, hidden), 0.1)
    draw.ignore(table + "position_ids", np.arange(count + 1)[None], "I64")
    draw.norm("vision_model.pre_layrnorm", hidden, bias=0.3)
    draw_stack(draw, config, "vision_model.")
    draw.norm("vision_model.post_layernorm", hidden, bias=0.3)


def text_keys(**given):
    return dict({"hidden_act": "quick_gelu", "hidden_size": 32, "intermediate_size": 40, "layer_norm_eps": 1e-05,
                 "max_position_embeddings": 24, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 96},
                **given)


def clip(draw):
    """Two images and three texts. The end token is the largest id; padding has the same id."""
    text = text_keys(bos_token_id=0, eos_token_id=2, model_type="clip_text_model", pad_token_id=1)
    vision = {"hidden_size": 24, "image_size": 16, "intermediate_size": 40, "model_type": "clip_vision_model",
              "num_attention_heads": 3, "num_hidden_layers": 2, "patch_size": 4}
    config = draw.config("CLIPModel", "clip", "4.16.0.dev0", initializer_factor=1.0, logit_scale_init_value=2.6592,
                         projection_dim=20, text_config=text, text_config_dict=None, vision_config=vision,
                         vision_config_dict=None)
    draw.store("logit_scale", np.float64(2.3))
    draw.neutral["logit_scale"] = 0.0
    draw_text(draw, text)
    draw_vision(draw, vision)
    draw.linear("text_projection", 20, 32, 1.0)
    draw.linear("visual_projection", 20, 24, 1.0)
    tokens = draw.random.randint(0, 95, (3, 23))
    for row, end in enumerate([8, 22, 15]):
        tokens[row, end:] = 95
    features = {"activation of texts": {"text_config.hidden_act": "gelu"},
                "activation of images": {"vision_config.hidden_act": "gelu"},
                "end token": {"text_config.eos_token_id": 7}}
    pixels = draw.random.standard_normal((2, 3, 16, 16)).astype(np.float32)
    return draw.instance(config, {"tokens": tokens.astype(np.int32), "pixel_values": pixels}, features)


def clip_text(draw):
    """The encoder of texts alone, with an end token that is not the largest id, and GELU."""
    config = draw.config("CLIPTextModel", "clip_text_model", "4.22.0", **text_keys(
        attention_dropout=0.0, bos_token_id=0, dropout=0.0, eos_token_id=90, hidden_act="gelu",
        initializer_factor=1.0, initializer_range=0.02, pad_token_id=1, projection_dim=32))
    draw_text(draw, config, buffers=False)
    tokens = draw.random.randint(2, 90, (2, 23))
    tokens[:, 3] = 94
    tokens[0, 12:], tokens[1, 20:] = 1, 1
    tokens[0, 11], tokens[1, 19] = 90, 90
    features = {"activation": {"hidden_act": "relu"}, "end token": {"eos_token_id": 2},
                "form of GELU": {"hidden_act": "gelu_new"}}
    return draw.instance(config, {"tokens": tokens.astype(np.int32)}, features)


def clip_vision(draw):
    """The encoder of images with its projection. Patches of 3 x 3 do not cover the images of 16 x 16."""
    config = draw.config("CLIPVisionModelWithProjection", "clip_vision_model", "4.30.0", hidden_size=32, image_size=16,
                         intermediate_size=40, num_attention_heads=4, num_hidden_layers=2, patch_size=3,
                         projection_dim=20)
    draw_vision(draw, config)
    draw.linear("visual_projection", 20, 32, 1.0)
    pixels = draw.random.standard_normal((2, 3, 16, 16)).astype(np.float32)
    return draw.instance(config, {"pixel_values": pixels}, {"activation": {"hidden_act": "gelu"}})


VARIANTS = {"clip": clip, "clip-text": clip_text, "clip-vision": clip_vision}
