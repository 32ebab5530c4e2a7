"""Adapters of low rank (Hu et al. 2021) in the form of the library PEFT."""
import json

import numpy as np

from . import safetensors
from .instance import Draw


def adapt(variant, instance, targets, rank=3, alpha=5.0):
    """The configuration and tensors of an adapter, and the instance's tensors with the adapter merged into them."""
    draw = Draw(variant + " adapter")
    merged = dict(instance.tensors)
    for name in sorted(instance.tensors):
        layer = name.removesuffix(".weight")
        if layer == name or layer.split(".")[-1] not in targets:
            continue
        is_transposed = layer.split(".")[-1].startswith("c_")  # layers of GPT-2 are stored as [inputs, outputs]
        weight = instance.tensors[name]
        rows, columns = weight.shape[::-1] if is_transposed else weight.shape
        prefix = f"base_model.model.{layer}."
        draw.normal(prefix + "lora_A.weight", (rank, columns), columns ** -0.5)
        draw.normal(prefix + "lora_B.weight", (rows, rank), rank ** -0.5)
        change = alpha / rank * draw.tensors[prefix + "lora_B.weight"] @ draw.tensors[prefix + "lora_A.weight"]
        merged[name] = weight + (change.T if is_transposed else change)
    saved = [name for name in instance.tensors if name.startswith("classifier.")]
    for name in saved:
        draw.normal("base_model.model." + name, instance.tensors[name].shape)
        merged[name] = draw.tensors["base_model.model." + name]
    config = {"base_model_name_or_path": variant, "bias": "none", "fan_in_fan_out": "gpt" in variant,
              "inference_mode": True, "lora_alpha": alpha, "lora_dropout": 0.05, "modules_to_save": ["classifier", "score"] if saved else None,
              "peft_type": "LORA", "r": rank, "rank_pattern": {}, "target_modules": targets, "task_type": "CAUSAL_LM",
              "use_dora": False, "use_rslora": False}
    return config, draw, merged


def write(folder, config, draw):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n")
    safetensors.write(folder / "adapter_model.safetensors", draw.tensors, draw.dtypes)
