"""Independent references of published model families, in double precision with NumPy alone."""
import importlib

from .instance import Draw, Instance, Weights, changed

FAMILIES = ["llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "phi3", "gpt_oss", "qwen3_moe", "mixtral",
            "deepseek_v2", "deepseek_v3", "bert", "roberta", "modernbert", "t5", "whisper", "vit", "siglip", "clip",
            "dit", "mamba2", "qwen3_next", "kimi_linear", "bart", "gpt2", "gemma3_vision"]


def variants():
    """Name of a variant -> the module of its family."""
    modules = [importlib.import_module("." + family, __name__) for family in FAMILIES]
    return {name: module for module in modules for name in module.VARIANTS}


def draw(variant, seed=0, dtype="f32"):
    """The instance of a variant."""
    return variants()[variant].VARIANTS[variant](Draw(variant, seed, dtype))


def forward(variant, instance, changes=None, tensors=None):
    """The outputs of an instance, by name, and the names of the tensors that were read.

    A change `inputs.NAME` replaces an input; the others are changes of the configuration.
    """
    weights = Weights(tensors or instance.tensors)
    changes = changes or {}
    inputs = changed(instance.inputs, {name[7:]: value for name, value in changes.items() if name[:7] == "inputs."})
    config = changed(instance.config, {name: value for name, value in changes.items() if name[:7] != "inputs."})
    return variants()[variant].forward(config, weights, inputs), weights.read
