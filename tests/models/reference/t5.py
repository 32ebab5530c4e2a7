"""T5 and Flan-T5 ("Exploring the Limits of Transfer Learning", Raffel et al., 2019): relative position biases."""
import math

import numpy as np

from . import encoder, layers


def buckets(length, count, longest, is_decoder):
    """The bucket of each distance r = key - query: [length, length].

    The first half of the buckets holds one distance each, the second half grows logarithmically up to `longest`. An
    encoder has as many buckets for r > 0 as for the others; a decoder has all for r <= 0.
    """
    r = np.arange(length) - np.arange(length)[:, None]
    base = np.zeros_like(r)
    if is_decoder:
        r = np.maximum(-r, 0)
    else:
        count //= 2
        base, r = count * (r > 0), np.abs(r)
    exact = count // 2
    growth = np.log(np.maximum(r, 1).astype(np.float32) / exact) / np.float32(math.log(longest / exact))
    far = exact + (growth * np.float32(count - exact)).astype(int)
    return base + np.where(r < exact, r, np.minimum(far, count - 1))


def position_bias(config, w, length, is_decoder):
    """Layer 0 of a stack has the table, whose values all layers add to their scores: [1, heads, length, length]."""
    table = w["block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    index = buckets(length, config.get("relative_attention_num_buckets", 32),
                    config.get("relative_attention_max_distance", 128), is_decoder)
    return table[index].transpose(2, 0, 1)[None]


def feed(config, x, w):
    kind = config.get("feed_forward_proj", "relu")
    if not kind.startswith("gated-"):
        return w.linear(layers.ACTIVATIONS[kind](w.linear(x, "wi")), "wo")
    act = layers.ACTIVATIONS["gelu_new" if kind == "gated-gelu" else kind[len("gated-"):]]
    return w.linear(act(w.linear(x, "wi_0")) * w.linear(x, "wi_1"), "wo")


def stack(config, w, x, mask, context=None, context_mask=None):
    """The encoder, or with `context` the decoder. Scores have no factor."""
    heads, eps = config.get("num_heads", 8), config.get("layer_norm_epsilon", 1e-6)
    is_decoder = context is not None
    count = config.get("num_decoder_layers") or config["num_layers"] if is_decoder else config["num_layers"]
    bias = position_bias(config, w, x.shape[1], is_decoder)
    for index in range(count):
        block = w.under(f"block.{index}.")
        y = layers.rms_norm(x, block["layer.0.layer_norm.weight"], eps)
        x = x + attend(block, "layer.0.SelfAttention.", y, y, heads, mask, bias)
        if is_decoder:
            y = layers.rms_norm(x, block["layer.1.layer_norm.weight"], eps)
            x = x + attend(block, "layer.1.EncDecAttention.", y, context, heads, context_mask, None)
        last = block.under(f"layer.{2 if is_decoder else 1}.")
        x = x + feed(config, layers.rms_norm(x, last["layer_norm.weight"], eps), last.under("DenseReluDense."))
    return layers.rms_norm(x, w["final_layer_norm.weight"], eps)


def attend(w, prefix, x, context, heads, mask, bias):
    w = w.under(prefix)
    q, k, v = (layers.split_heads(w.linear(y, name), heads) for y, name in ((x, "q"), (context, "k"), (context, "v")))
    return w.linear(layers.join_heads(layers.attention(q, k, v, mask, 1.0, bias=bias)), "o")


def forward(config, w, inputs):
    table, mask = w["shared.weight"], encoder.padding_mask(inputs)
    decoder_tokens = inputs["decoder_tokens"]
    context = stack(config, w.under("encoder."), table[inputs["tokens"]], mask)
    y = stack(config, w.under("decoder."), table[decoder_tokens], layers.causal_mask(decoder_tokens.shape[1]),
              context, mask)
    features = encoder.without_padding(context, inputs)
    if config.get("tie_word_embeddings", True):
        return {"features": features, "logits": y * config["d_model"] ** -0.5 @ table.T}
    return {"features": features, "logits": w.linear(y, "lm_head")}


def draw_attention(draw, prefix, config):
    inner, hidden = config["num_heads"] * config["d_kv"], config["d_model"]
    gain = 1.4 / config["d_kv"] ** 0.25
    draw.linear(prefix + "q", inner, hidden, gain)
    draw.linear(prefix + "k", inner, hidden, gain)
    draw.linear(prefix + "v", inner, hidden)
    draw.linear(prefix + "o", hidden, inner, 0.1)


def draw_stack(draw, config, prefix, count, is_decoder, final):
    hidden, inner = config["d_model"], config["d_ff"]
    for index in range(count):
        block = f"{prefix}block.{index}."
        draw_attention(draw, block + "layer.0.SelfAttention.", config)
        if index == 0:
            draw.normal(block + "layer.0.SelfAttention.relative_attention_bias.weight",
                        (config.get("relative_attention_num_buckets", 32), config["num_heads"]), 1.5)
        draw.norm(block + "layer.0.layer_norm", hidden)
        if is_decoder:
            draw_attention(draw, block + "layer.1.EncDecAttention.", config)
            draw.norm(block + "layer.1.layer_norm", hidden)
        last = f"{block}layer.{2 if is_decoder else 1}."
        if config["feed_forward_proj"].startswith("gated-"):
            draw.linear(last + "DenseReluDense.wi_0", inner, hidden, 1.5)
            draw.linear(last + "DenseReluDense.wi_1", inner, hidden)
        else:
            draw.linear(last + "DenseReluDense.wi", inner, hidden, 1.5)
        draw.linear(last + "DenseReluDense.wo", hidden, inner, 0.1)
        draw.norm(last + "layer_norm", hidden)
    draw.norm(prefix + "final_layer_norm", hidden, final)


def inputs_of(draw):
    return {"tokens": draw.tokens(96), "attention_mask": encoder.attention_mask([23, 17]),
            "decoder_tokens": draw.tokens(96, length=19)}


def t5(draw):
    """T5: relu, a tied head with the factor d_model^-0.5, default buckets, and a table that is not used."""
    config = draw.config(
        "T5ForConditionalGeneration", "t5", "4.23.1", d_ff=48, d_kv=8, d_model=32, decoder_start_token_id=0,
        dropout_rate=0.1, eos_token_id=1, feed_forward_proj="relu", initializer_factor=1.0, is_encoder_decoder=True,
        layer_norm_epsilon=1e-06, n_positions=512, num_heads=4, num_layers=2, output_past=True, pad_token_id=0,
        relative_attention_num_buckets=32, use_cache=True, vocab_size=96)
    draw.normal("shared.weight", (96, 32), 0.03)
    draw_stack(draw, config, "encoder.", 2, False, 1.0)
    draw_stack(draw, config, "decoder.", 2, True, 90.0)
    draw.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
                draw.random.standard_normal((32, 4)))
    features = {"attention mask": {"inputs.attention_mask": ...}, "epsilon": {"layer_norm_epsilon": 1e-5},
                "longest distance": {"relative_attention_max_distance": 64},
                "activation": {"feed_forward_proj": "silu"}}
    return draw.instance(config, inputs_of(draw), features)


def flan_t5(draw):
    """Flan-T5: gated GELU, a head of its own, heads that are not d_model / num_heads wide, fewer decoder layers."""
    config = draw.config(
        "T5ForConditionalGeneration", "t5", "4.23.1", d_ff=40, d_kv=12, d_model=32, decoder_start_token_id=0,
        dropout_rate=0.1, eos_token_id=1, feed_forward_proj="gated-gelu", initializer_factor=1.0,
        is_encoder_decoder=True, layer_norm_epsilon=1e-06, n_positions=512, num_decoder_layers=1, num_heads=3,
        num_layers=2, output_past=True, pad_token_id=0, relative_attention_max_distance=20,
        relative_attention_num_buckets=12, tie_word_embeddings=False, use_cache=True, vocab_size=96)
    draw.normal("shared.weight", (96, 32), 0.03)
    draw.ignore("encoder.embed_tokens.weight", draw.tensors["shared.weight"])
    draw.ignore("decoder.embed_tokens.weight", draw.tensors["shared.weight"])
    draw_stack(draw, config, "encoder.", 2, False, 1.0)
    draw_stack(draw, config, "decoder.", 1, True, 1.0)
    draw.linear("lm_head", 96, 32, 3.0)
    features = {"attention mask": {"inputs.attention_mask": ...}, "epsilon": {"layer_norm_epsilon": 1e-5},
                "longest distance": {"relative_attention_max_distance": ...},
                "activation": {"feed_forward_proj": "gated-silu"}}
    return draw.instance(config, inputs_of(draw), features)


VARIANTS = {"t5": t5, "flan-t5": flan_t5}
