"""Diffusion transformer ("Scalable Diffusion Models with Transformers", Peebles and Xie, 2022), as diffusers has it."""
import numpy as np

from . import encoder, layers

EPS = 1e-6  # of the norms before attention and before the output


def sines_of(positions, count):
    """Sines, then cosines, of positions at `count` / 2 frequencies."""
    angles = positions[:, None] * 10000.0 ** (-np.arange(count // 2) / (count // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def grid_positions(side, hidden):
    """Positions of a grid of patches, row by row: the first half encodes the column, the second the row."""
    rows, columns = np.divmod(np.arange(side * side), side)
    return np.concatenate([sines_of(columns, hidden // 2), sines_of(rows, hidden // 2)], axis=1)


def condition(w, timesteps, labels):
    """The embedding of a timestep and a label. Frequencies of 256 channels run from 1 to 1 / 10000, cosines first."""
    angles = timesteps[:, None] * 10000.0 ** (-np.arange(128) / 127)
    y = w.linear(np.concatenate([np.cos(angles), np.sin(angles)], axis=1), "timestep_embedder.linear_1", True)
    y = w.linear(layers.silu(y), "timestep_embedder.linear_2", True)
    return y + w["class_embedder.embedding_table.weight"][labels]


def block(x, w, heads, bias, eps, act, timesteps, labels):
    """Shifts, scales and gates of both halves come from the block's own embedding of timestep and label."""
    signals = w.linear(layers.silu(condition(w.under("norm1.emb."), timesteps, labels)), "norm1.linear", True)
    shift, scale, gate, mlp_shift, mlp_scale, mlp_gate = np.split(signals[:, None, :], 6, axis=-1)
    y = layers.layer_norm(x, None, None, EPS) * (1 + scale) + shift
    q, k, v = (layers.split_heads(w.linear(y, f"attn1.to_{name}", bias), heads) for name in "qkv")
    y = layers.join_heads(layers.attention(q, k, v, scale=q.shape[-1] ** -0.5))
    x = x + gate * w.linear(y, "attn1.to_out.0", True)
    y = layers.layer_norm(x, None, None, eps) * (1 + mlp_scale) + mlp_shift
    return x + mlp_gate * w.linear(act(w.linear(y, "ff.net.0.proj", True)), "ff.net.2", True)


def forward(config, w, inputs):
    heads, size = config.get("num_attention_heads", 16), config.get("patch_size", 2)
    hidden = heads * config.get("attention_head_dim", 72)
    act = {"gelu": layers.gelu, "gelu-approximate": layers.gelu_tanh}[config.get("activation_fn", "gelu-approximate")]
    side = config.get("sample_size", 32) // size
    channels = config.get("out_channels") or config.get("in_channels", 4)
    timesteps, labels = inputs["timesteps"].astype(np.float64), inputs["class_labels"]
    x = encoder.embed_patches(inputs["latents"], w, "pos_embed.proj", size) + grid_positions(side, hidden)
    for index in range(config.get("num_layers", 28)):
        x = block(x, w.under(f"transformer_blocks.{index}."), heads, config.get("attention_bias", True),
                  config.get("norm_eps", 1e-5), act, timesteps, labels)
    signal = layers.silu(condition(w.under("transformer_blocks.0.norm1.emb."), timesteps, labels))
    shift, scale = np.split(w.linear(signal, "proj_out_1", True)[:, None, :], 2, axis=-1)
    x = w.linear(layers.layer_norm(x, None, None, EPS) * (1 + scale) + shift, "proj_out_2", True)
    x = x.reshape(len(x), side, side, size, size, channels).transpose(0, 5, 1, 3, 2, 4)
    return {"sample": x.reshape(len(x), channels, side * size, side * size)}


def dit(draw):
    """Inputs: latents [batch, 4, 8, 8], timesteps and class_labels, where label 10 is "no class". Output: sample."""
    config = {
        "_class_name": "DiTTransformer2DModel", "_diffusers_version": "0.30.0", "activation_fn": "gelu-approximate",
        "attention_bias": True, "attention_head_dim": 8, "dropout": 0.0, "in_channels": 4,
        "norm_elementwise_affine": False, "norm_eps": 1e-05, "norm_num_groups": 32, "norm_type": "ada_norm_zero",
        "num_attention_heads": 4, "num_embeds_ada_norm": 10, "num_layers": 2, "out_channels": 8, "patch_size": 2,
        "sample_size": 8, "upcast_attention": False}
    encoder.draw_patches(draw, "pos_embed.proj", 32, 4, 2, 1.0, 0.3)
    for index in range(2):
        prefix = f"transformer_blocks.{index}."
        draw.linear(prefix + "norm1.emb.timestep_embedder.linear_1", 32, 256, 2.0, 0.5)
        draw.linear(prefix + "norm1.emb.timestep_embedder.linear_2", 32, 32, 1.5, 0.3)
        draw.normal(prefix + "norm1.emb.class_embedder.embedding_table.weight", (11, 32), 1.0)
        draw.linear(prefix + "norm1.linear", 192, 32, 0.7, 0.3)
        encoder.draw_multi_head(draw, prefix + "attn1.", ("to_q", "to_k", "to_v", "to_out.0"), 32, 1.0)
        encoder.draw_mlp(draw, prefix + "ff.net.0.proj", prefix + "ff.net.2", 32, 128, 1.0)
    draw.linear("proj_out_1", 64, 32, 0.7, 0.3)
    draw.linear("proj_out_2", 32, 32, 1.5, 0.5)
    inputs = {"latents": draw.random.standard_normal((2, 4, 8, 8)).astype(np.float32),
              "timesteps": np.array([7, 903], np.int32), "class_labels": np.array([3, 10], np.int32)}
    features = {"timestep": {"inputs.timesteps": np.array([8, 903])},
                "form of GELU": {"activation_fn": "gelu"}, "label": {"inputs.class_labels": np.array([3, 9])}}
    return draw.instance(config, inputs, features)


VARIANTS = {"dit": dit}
