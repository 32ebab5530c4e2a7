"""Whisper ("Robust Speech Recognition via Large-Scale Weak Supervision", Radford et al., 2022)."""
import numpy as np

from . import encoder, layers

EPS = 1e-5


def convolve(x, weight, bias, stride):
    """A convolution along time with kernel 3 and padding 1: [batch, channels, time], weight [out, channels, 3]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    windows = np.stack([padded[:, :, index:index + x.shape[2]:stride] for index in range(3)], axis=-1)
    return np.einsum("bctk,ock->bot", windows, weight) + bias[:, None]


def attend(x, context, w, heads, mask=None):
    """Keys have no bias."""
    return encoder.multi_head(x, context, w, encoder.PROJECTIONS, heads, mask, key_bias=False)


def feed(x, w, act):
    return w.linear(act(w.linear(encoder.norm(x, w, "final_layer_norm", EPS), "fc1", True)), "fc2", True)


def encode(config, w, sound, act):
    x = act(convolve(sound.astype(np.float64), w["conv1.weight"], w["conv1.bias"], 1))
    x = act(convolve(x, w["conv2.weight"], w["conv2.bias"], 2)).transpose(0, 2, 1) + w["embed_positions.weight"]
    for index in range(config["encoder_layers"]):
        layer = w.under(f"layers.{index}.")
        y = encoder.norm(x, layer, "self_attn_layer_norm", EPS)
        x = x + attend(y, y, layer.under("self_attn."), config["encoder_attention_heads"])
        x = x + feed(x, layer, act)
    return encoder.norm(x, w, "layer_norm", EPS)


def decode(config, w, tokens, context, act):
    scale = config["d_model"] ** 0.5 if config.get("scale_embedding", False) else 1.0
    length, heads = tokens.shape[1], config["decoder_attention_heads"]
    x = w["embed_tokens.weight"][tokens] * scale + w["embed_positions.weight"][:length]
    for index in range(config["decoder_layers"]):
        layer = w.under(f"layers.{index}.")
        y = encoder.norm(x, layer, "self_attn_layer_norm", EPS)
        x = x + attend(y, y, layer.under("self_attn."), heads, layers.causal_mask(length))
        y = encoder.norm(x, layer, "encoder_attn_layer_norm", EPS)
        x = x + attend(y, context, layer.under("encoder_attn."), heads)
        x = x + feed(x, layer, act)
    return encoder.norm(x, w, "layer_norm", EPS)


def forward(config, w, inputs):
    act = layers.ACTIVATIONS[config.get("activation_function", "gelu")]
    context = encode(config, w.under("model.encoder."), inputs["input_features"], act)
    y = decode(config, w.under("model.decoder."), inputs["tokens"], context, act)
    return {"features": context, "logits": y @ w["model.decoder.embed_tokens.weight"].T}


def sinusoids(length, channels):
    """The encoder's positions, which files store: sines, then cosines of geometric frequencies."""
    angles = np.arange(length)[:, None] * np.exp(-np.log(10000) / (channels // 2 - 1) * np.arange(channels // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def draw_layer(draw, prefix, hidden, inner, is_decoder):
    for name in ["self_attn", "encoder_attn"][:1 + is_decoder]:
        encoder.draw_multi_head(draw, f"{prefix}{name}.", encoder.PROJECTIONS, hidden, 0.3, key_bias=False)
        draw.norm(f"{prefix}{name}_layer_norm", hidden, bias=0.3)
    encoder.draw_mlp(draw, prefix + "fc1", prefix + "fc2", hidden, inner, 0.3)
    draw.norm(prefix + "final_layer_norm", hidden, bias=0.3)


def draw_tensors(draw, config):
    hidden, channels = config["d_model"], config["num_mel_bins"]
    draw.normal("model.encoder.conv1.weight", (hidden, channels, 3), 1.0 / (3 * channels) ** 0.5)
    draw.normal("model.encoder.conv1.bias", hidden, 0.3)
    draw.normal("model.encoder.conv2.weight", (hidden, hidden, 3), 1.0 / (3 * hidden) ** 0.5)
    draw.normal("model.encoder.conv2.bias", hidden, 0.3)
    draw.store("model.encoder.embed_positions.weight", sinusoids(config["max_source_positions"], hidden))
    draw.neutral["model.encoder.embed_positions.weight"] = 0.0
    for index in range(config["encoder_layers"]):
        draw_layer(draw, f"model.encoder.layers.{index}.", hidden, config["encoder_ffn_dim"], False)
    draw.norm("model.encoder.layer_norm", hidden, bias=0.3)
    draw.normal("model.decoder.embed_tokens.weight", (config["vocab_size"], hidden), 0.1)
    draw.normal("model.decoder.embed_positions.weight", (config["max_target_positions"], hidden), 0.1)
    for index in range(config["decoder_layers"]):
        draw_layer(draw, f"model.decoder.layers.{index}.", hidden, config["decoder_ffn_dim"], True)
    draw.norm("model.decoder.layer_norm", hidden, 5.0, 0.5)


def whisper(draw):
    """Inputs: a spectrogram input_features [batch, mel bins, 2 max_source_positions] and tokens of the decoder."""
    config = draw.config(
        "WhisperForConditionalGeneration", "whisper", "4.27.0.dev0", activation_dropout=0.0,
        activation_function="gelu", attention_dropout=0.0, begin_suppress_tokens=[10, 90], bos_token_id=90,
        d_model=32, decoder_attention_heads=4, decoder_ffn_dim=48, decoder_layerdrop=0.0, decoder_layers=2,
        decoder_start_token_id=91, dropout=0.0, encoder_attention_heads=4, encoder_ffn_dim=48, encoder_layerdrop=0.0,
        encoder_layers=2, eos_token_id=90, forced_decoder_ids=[[1, 92], [2, 93], [3, 94]], init_std=0.02,
        is_encoder_decoder=True, max_length=24, max_source_positions=17, max_target_positions=24, num_hidden_layers=2,
        num_mel_bins=8, pad_token_id=90, scale_embedding=False, suppress_tokens=[1, 2, 7], use_cache=True,
        vocab_size=96)
    draw_tensors(draw, config)
    inputs = {"input_features": draw.random.standard_normal((2, 8, 34)).astype(np.float32),
              "tokens": draw.tokens(96, length=19)}
    features = {"embedding scale": {"scale_embedding": True}, "form of GELU": {"activation_function": "gelu_new"}}
    return draw.instance(config, inputs, features)


def whisper_scaled(draw):
    """scale_embedding is set; encoder and decoder have other sizes; other keys have their defaults."""
    config = draw.config(
        "WhisperForConditionalGeneration", "whisper", "5.0.0", d_model=32, decoder_attention_heads=2,
        decoder_ffn_dim=40, decoder_layers=1, encoder_attention_heads=4, encoder_ffn_dim=48, encoder_layers=2,
        max_source_positions=12, max_target_positions=20, num_mel_bins=5, scale_embedding=True, vocab_size=96)
    draw_tensors(draw, config)
    inputs = {"input_features": draw.random.standard_normal((2, 5, 24)).astype(np.float32),
              "tokens": draw.tokens(96, length=19)}
    features = {"embedding scale": {"scale_embedding": ...}, "activation": {"activation_function": "relu"}}
    return draw.instance(config, inputs, features)


VARIANTS = {"whisper": whisper, "whisper-scaled": whisper_scaled}
