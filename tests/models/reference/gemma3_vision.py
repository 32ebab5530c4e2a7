"""Gemma 3 with images: patches of a SigLIP encoder, pooled and projected, take the place of image tokens."""
import numpy as np

from . import decoder, gemma2, gemma3, layers, siglip


def image_features(config, w, pixels):
    """Averages of squares of patches, normed, then multiplied by the projection, which is stored as [in, out]."""
    vision = config["vision_config"]
    x = siglip.vision_model(vision, w.under("vision_tower.vision_model."), pixels)[0]
    side = vision["image_size"] // vision["patch_size"]
    kept = int(config["mm_tokens_per_image"] ** 0.5)
    x = x.reshape(len(x), kept, side // kept, kept, side // kept, -1).mean(axis=(2, 4))
    x = x.reshape(len(x), kept * kept, -1)
    eps = vision.get("layer_norm_eps", 1e-6)
    x = layers.rms_norm(x, 1 + w["multi_modal_projector.mm_soft_emb_norm.weight"], eps)
    return x @ w["multi_modal_projector.mm_input_projection_weight"]


def forward(config, w, inputs):
    """Tokens of one image see each other in both directions, in layers with and without windows."""
    text = dict(config["text_config"], dtype=config.get("dtype") or config.get("torch_dtype"))
    body = w.under("language_model.model.")
    tokens = inputs["tokens"]
    x = body["embed_tokens.weight"][tokens] * gemma2.embedding_scale(text)
    mask = gemma3.masks(text, tokens.shape[1])
    outputs = {}
    if "pixel_values" in inputs:
        outputs["image_features"] = image_features(config, w, inputs["pixel_values"])
        is_image = tokens == config["image_token_index"]
        x[is_image] = outputs["image_features"].reshape(-1, x.shape[-1])
        starts = is_image & ~np.pad(is_image, ((0, 0), (1, 0)))[:, :-1]
        block = np.where(is_image, np.cumsum(starts, axis=1), 0)
        same = (block[:, :, None] == block[:, None, :]) & is_image[:, None, :]
        mask = {kind: (m | same)[:, None] for kind, m in mask.items()}
    x = gemma3.hidden_states(text, body, x, mask)
    return dict(outputs, logits=decoder.head(x, body, True, "embed_tokens.weight"))


def draw_instance(draw, inputs, features, is_text):
    """The text configuration omits keys with defaults, as the files of 4B and larger models do."""
    text = {"head_dim": 16, "hidden_size": 40, "intermediate_size": 40, "model_type": "gemma3_text",
            "num_attention_heads": 2, "num_hidden_layers": 6, "num_key_value_heads": 1,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 6, "vocab_size": 96}
    vision = {"hidden_size": 16, "image_size": 16, "intermediate_size": 24, "model_type": "siglip_vision_model",
              "num_attention_heads": 2, "num_hidden_layers": 1, "patch_size": 4, "vision_use_head": False}
    config = draw.config(
        "Gemma3ForConditionalGeneration", "gemma3", "4.50.0.dev0", boi_token_index=93, eoi_token_index=94,
        eos_token_id=[1, 92], image_token_index=95, initializer_range=0.02, mm_tokens_per_image=4, text_config=text,
        vision_config=vision)
    gemma2.draw_tensors(draw, text, 1, 16, 1.5, 1.0, "language_model.model.")
    before = set(draw.tensors)
    siglip.draw_vision(draw, vision, "vision_tower.vision_model.", has_head=False)
    draw.norm("multi_modal_projector.mm_soft_emb_norm", 16, 0.0, neutral=0.0)
    draw.normal("multi_modal_projector.mm_input_projection_weight", (16, 40), 0.15 / 4)
    if is_text:
        draw.ignored |= set(draw.tensors) - before
    features = dict({
        "window size": {"text_config.sliding_window": 7}, "RoPE scaling": {"text_config.rope_scaling": None},
        "scale": {"text_config.query_pre_attn_scalar": 128}, "pattern": {"text_config.sliding_window_pattern": 3},
        "RoPE theta": {"text_config.rope_theta": 10000.0},
        "RoPE theta of windows": {"text_config.rope_local_base_freq": 1e6}}, **features)
    return draw.instance(config, inputs, features)


def gemma3_vision(draw):
    """One image for each sequence: 4 tokens between the tokens for its begin and end. Inputs: pixel_values, tokens."""
    tokens = draw.random.randint(0, 93, (2, 23))
    for row, start in enumerate([5, 12]):
        tokens[row, start - 1:start + 5] = [93, 95, 95, 95, 95, 94]
    pixels = draw.random.standard_normal((2, 3, 16, 16)).astype(np.float32)
    inputs = {"tokens": tokens.astype(np.int32), "pixel_values": pixels}
    return draw_instance(draw, inputs, {"images": {"inputs.pixel_values": pixels[::-1]}}, is_text=False)


def gemma3_nested(draw):
    """The same form of file, with text alone: the tensors of images are not read."""
    return draw_instance(draw, {"tokens": draw.tokens(93)}, {}, is_text=True)


VARIANTS = {"gemma3-vision": gemma3_vision, "gemma3-nested": gemma3_nested}
