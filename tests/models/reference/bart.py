"""BART ("BART", Lewis et al., 2019): an encoder and a decoder with norms after the sums."""
import numpy as np

from . import encoder, layers

EPS = 1e-5
OFFSET = 2  # the first rows of the tables of positions are not used


def embed(config, w, shared, tokens):
    scale = config["d_model"] ** 0.5 if config.get("scale_embedding", False) else 1.0
    positions = w["embed_positions.weight"][OFFSET:OFFSET + tokens.shape[1]]
    return encoder.norm(shared[tokens] * scale + positions, w, "layernorm_embedding", EPS)


def feed(x, w, act):
    y = w.linear(act(w.linear(x, "fc1", True)), "fc2", True)
    return encoder.norm(x + y, w, "final_layer_norm", EPS)


def attend(x, context, w, name, heads, mask):
    y = encoder.multi_head(x, context, w.under(name + "."), encoder.PROJECTIONS, heads, mask)
    return encoder.norm(x + y, w, name + "_layer_norm", EPS)


def forward(config, w, inputs):
    act = layers.ACTIVATIONS[config.get("activation_function", "gelu")]
    shared, mask = w["model.shared.weight"], encoder.padding_mask(inputs)
    part, heads = w.under("model.encoder."), config["encoder_attention_heads"]
    context = embed(config, part, shared, inputs["tokens"])
    for index in range(config["encoder_layers"]):
        layer = part.under(f"layers.{index}.")
        context = feed(attend(context, context, layer, "self_attn", heads, mask), layer, act)
    part, heads = w.under("model.decoder."), config["decoder_attention_heads"]
    x = embed(config, part, shared, inputs["decoder_tokens"])
    for index in range(config["decoder_layers"]):
        layer = part.under(f"layers.{index}.")
        x = attend(x, x, layer, "self_attn", heads, layers.causal_mask(x.shape[1]))
        x = feed(attend(x, context, layer, "encoder_attn", heads, mask), layer, act)
    return {"features": encoder.without_padding(context, inputs), "logits": x @ shared.T + w["final_logits_bias"]}


def draw_stack(draw, prefix, hidden, inner, count, positions, is_decoder):
    draw.normal(prefix + "embed_positions.weight", (positions + OFFSET, hidden), 0.02)
    draw.norm(prefix + "layernorm_embedding", hidden, bias=0.3)
    for index in range(count):
        layer = f"{prefix}layers.{index}."
        for name in ["self_attn", "encoder_attn"][:1 + is_decoder]:
            encoder.draw_multi_head(draw, f"{layer}{name}.", encoder.PROJECTIONS, hidden, 1.0)
            draw.norm(f"{layer}{name}_layer_norm", hidden, bias=0.3)
        encoder.draw_mlp(draw, layer + "fc1", layer + "fc2", hidden, inner, 1.0)
        is_last = is_decoder and index == count - 1
        draw.norm(layer + "final_layer_norm", hidden, 30.0 if is_last else 1.0, 0.3)


def bart(draw):
    """A tied head with the stored bias final_logits_bias. The decoder is shallower than the encoder."""
    config = draw.config(
        "BartForConditionalGeneration", "bart", "4.7.0.dev0", activation_dropout=0.0, activation_function="gelu",
        attention_dropout=0.0, bos_token_id=0, classifier_dropout=0.0, d_model=32, decoder_attention_heads=2,
        decoder_ffn_dim=40, decoder_layerdrop=0.0, decoder_layers=1, decoder_start_token_id=2, dropout=0.1,
        encoder_attention_heads=4, encoder_ffn_dim=48, encoder_layerdrop=0.0, encoder_layers=2, eos_token_id=2,
        forced_eos_token_id=2, init_std=0.02, is_encoder_decoder=True, max_position_embeddings=30,
        normalize_before=False,
        num_hidden_layers=2, pad_token_id=1, scale_embedding=False, use_cache=True, vocab_size=96)
    draw.normal("model.shared.weight", (96, 32), 0.02)
    draw.ignore("model.encoder.embed_tokens.weight", draw.tensors["model.shared.weight"])
    draw.ignore("model.decoder.embed_tokens.weight", draw.tensors["model.shared.weight"])
    draw_stack(draw, "model.encoder.", 32, 48, 2, 30, False)
    draw_stack(draw, "model.decoder.", 32, 40, 1, 30, True)
    draw.normal("final_logits_bias", (1, 96), 1.0)
    inputs = {"tokens": draw.tokens(96), "attention_mask": encoder.attention_mask([23, 17]),
              "decoder_tokens": draw.tokens(96, length=19)}
    features = {"attention mask": {"inputs.attention_mask": ...}, "embedding scale": {"scale_embedding": True},
                "form of GELU": {"activation_function": "gelu_new"}}
    return draw.instance(config, inputs, features)


VARIANTS = {"bart": bart}
