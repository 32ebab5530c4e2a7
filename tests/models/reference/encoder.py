"""Parts that encoders and encoder-decoder networks share."""
import numpy as np

from . import layers

BERT = ("query", "key", "value", "output.dense")
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


def multi_head(x, context, w, names, heads, mask=None, key_bias=True, bias=True, **options):
    """Attention of x to `context` between four projections. `names` has those of queries, keys, values and outputs."""
    q, k, v, o = names
    q = layers.split_heads(w.linear(x, q, bias), heads)
    k = layers.split_heads(w.linear(context, k, key_bias and bias), heads)
    v = layers.split_heads(w.linear(context, v, bias), heads)
    options.setdefault("scale", q.shape[-1] ** -0.5)
    return w.linear(layers.join_heads(layers.attention(q, k, v, mask, **options)), o, bias)


def norm(x, w, name, eps):
    """Layer norm with the weight and bias of a name."""
    return layers.layer_norm(x, w[name + ".weight"], w[name + ".bias"], eps)


def padding_mask(inputs, name="attention_mask"):
    """The mask [batch, 1, 1, length] of an input [batch, length] that is 1 for tokens, or None without the input."""
    return inputs[name][:, None, None, :] > 0 if name in inputs else None


def without_padding(x, inputs, name="attention_mask"):
    """Outputs at masked positions mean nothing; they are stored as 0."""
    return x * inputs[name][:, :, None] if name in inputs else x


def patches(pixels, size):
    """[batch, channels, height, width] as [batch, patches, channels size size], row by row of patches. Pixels at the
    end of rows and columns that fill no patch are left out."""
    batch, channels, height, width = pixels.shape
    height, width = height // size * size, width // size * size
    pixels = pixels[:, :, :height, :width]
    blocks = pixels.reshape(batch, channels, height // size, size, width // size, size)
    return blocks.transpose(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * size * size)


def embed_patches(pixels, w, name, size, bias=True):
    """A convolution whose stride is the size of its kernel."""
    weight = w[name + ".weight"]
    y = patches(pixels.astype(np.float64), size) @ weight.reshape(len(weight), -1).T
    return y + w[name + ".bias"] if bias else y


def draw_multi_head(draw, prefix, names, hidden, gain=0.1, key_bias=True, bias=0.5, score_gain=1.5):
    """The bias of keys adds a constant to each row of scores, so it cannot be seen."""
    q, k, v, o = (prefix + name for name in names)
    draw.linear(q, hidden, hidden, score_gain, bias)
    draw.linear(k, hidden, hidden, score_gain, bias if key_bias else 0.0)
    draw.linear(v, hidden, hidden, 1.0, bias)
    draw.linear(o, hidden, hidden, gain, bias and 0.5 * gain)
    draw.invisible.add(k + ".bias")


def draw_mlp(draw, first, second, hidden, inner, gain):
    """Two linear layers. Half of the inner units are near -2.2 and weigh more: there the two forms of GELU differ by
    some percent, and elsewhere by less than 5e-4 of the largest."""
    is_low = np.arange(inner) >= inner // 2
    draw.normal(first + ".weight", (inner, hidden), np.where(is_low, 0.5, 1.5)[:, None] / hidden ** 0.5)
    draw.normal(first + ".bias", inner, 0.4, np.where(is_low, -2.2, 0.0))
    draw.normal(second + ".weight", (hidden, inner), np.where(is_low, 6.0, 1.0) * gain / inner ** 0.5)
    draw.normal(second + ".bias", hidden, 0.3 * gain)


def draw_patches(draw, name, hidden, channels, size, gain, bias):
    draw.normal(name + ".weight", (hidden, channels, size, size), gain / (channels * size * size) ** 0.5)
    if bias:
        draw.normal(name + ".bias", hidden, bias)


def attention_mask(lengths, length=23):
    """1 for each token before the length of its row."""
    return (np.arange(length) < np.array(lengths)[:, None]).astype(np.int32)
