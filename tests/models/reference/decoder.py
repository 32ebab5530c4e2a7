"""Parts that the families of decoders share."""
import numpy as np

from . import layers
from .rope import rotate


def sizes(config, kv_heads=None, head_dim=None):
    """Heads, kv_heads and head_dim. Arguments are a family's defaults of missing keys.

    Null is the number of heads, and hidden_size / heads.
    """
    heads = config["num_attention_heads"]
    return (heads, config.get("num_key_value_heads", kv_heads) or heads,
            config.get("head_dim", head_dim) or config["hidden_size"] // heads)


def self_attention(x, w, heads, kv_heads, head_dim, mask, rope, qkv_bias=False, o_bias=False, norm=None, **options):
    """Attention with grouped heads between the projections q_proj, k_proj, v_proj and o_proj.

    `norm` is applied to each head of the queries and keys, with its weights q_norm and k_norm, before the rotation.
    """
    q = layers.split_heads(w.linear(x, "q_proj", qkv_bias), heads)
    k = layers.split_heads(w.linear(x, "k_proj", qkv_bias), kv_heads)
    v = layers.split_heads(w.linear(x, "v_proj", qkv_bias), kv_heads)
    if norm:
        q, k = norm(q, w["q_norm.weight"]), norm(k, w["k_norm.weight"])
    options.setdefault("scale", head_dim ** -0.5)
    y = layers.attention(rotate(q, rope), rotate(k, rope), v, mask, **options)
    return w.linear(layers.join_heads(y), "o_proj", o_bias)


def gated_mlp(x, w, activation, bias=False):
    """down(activation(gate(x)) up(x))"""
    gate = layers.ACTIVATIONS[activation](w.linear(x, "gate_proj", bias))
    return w.linear(gate * w.linear(x, "up_proj", bias), "down_proj", bias)


def pre_norm(x, w, eps, attend, feed):
    """One layer: x + attend(norm(x)), then x + feed(norm(x)). `attend` and `feed` receive their weights."""
    x = x + attend(layers.rms_norm(x, w["input_layernorm.weight"], eps), w.under("self_attn."))
    return x + feed(layers.rms_norm(x, w["post_attention_layernorm.weight"], eps), w.under("mlp."))


def head(x, w, tied, embedding="model.embed_tokens.weight"):
    """Logits. A tied head multiplies by the embedding table."""
    return x @ w[embedding if tied else "lm_head.weight"].T


def draw_attention(draw, prefix, hidden, heads, kv_heads, head_dim, qkv_bias=0.0, o_bias=0.0, score_gain=1.5):
    draw.linear(prefix + "q_proj", heads * head_dim, hidden, score_gain, qkv_bias)
    draw.linear(prefix + "k_proj", kv_heads * head_dim, hidden, score_gain, qkv_bias)
    draw.linear(prefix + "v_proj", kv_heads * head_dim, hidden, 1.0, qkv_bias)
    draw.linear(prefix + "o_proj", hidden, heads * head_dim, 0.1, o_bias)


def draw_mlp(draw, prefix, hidden, inner, bias=0.0, gain=0.1):
    draw.linear(prefix + "gate_proj", inner, hidden, 1.5, bias)
    draw.linear(prefix + "up_proj", inner, hidden, 1.0, bias)
    draw.linear(prefix + "down_proj", hidden, inner, gain, bias and 0.05)


def draw_layers(draw, config, kv_heads, head_dim, qkv_bias=0.0, o_bias=0.0, mlp_bias=0.0, head_norms=False):
    """Layers with the usual names. `head_norms` adds q_norm and k_norm."""
    hidden = config["hidden_size"]
    for index in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{index}."
        draw.norm(prefix + "input_layernorm", hidden)
        draw_attention(draw, prefix + "self_attn.", hidden, config["num_attention_heads"], kv_heads, head_dim,
                       qkv_bias, o_bias)
        if head_norms:
            draw.norm(prefix + "self_attn.q_norm", head_dim, 1.5)
            draw.norm(prefix + "self_attn.k_norm", head_dim, 1.5)
        draw.norm(prefix + "post_attention_layernorm", hidden)
        draw_mlp(draw, prefix + "mlp.", hidden, config["intermediate_size"], mlp_bias)


def draw_ends(draw, vocab, hidden, tied, prefix="model.", mean=1.0, neutral=1.0):
    """Embedding, final norm and head. A tied table is small, so the final norm is large."""
    draw.normal(prefix + "embed_tokens.weight", (vocab, hidden), 0.03)
    draw.norm(prefix + "norm", hidden, 15.0 if tied else mean, neutral=neutral)
    if not tied:
        draw.linear("lm_head", vocab, hidden, 3.0)
