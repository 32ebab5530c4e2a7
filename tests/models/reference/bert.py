"""BERT ("BERT", Devlin et al., 2018): an encoder with norms after the sums."""
import numpy as np

from . import encoder, layers

PREFIXES = {"BertModel": ""}  # other architectures have the prefix `bert.`


def norm(x, w, name, eps):
    """Layer norm. Files converted from TensorFlow name its tensors gamma and beta."""
    if f"{w.prefix}{name}.gamma" in w.tensors:
        return layers.layer_norm(x, w[name + ".gamma"], w[name + ".beta"], eps)
    return encoder.norm(x, w, name, eps)


def encode(config, w, x, mask, act, eps):
    """All layers: norm(x + attend(x)), then norm(x + feed(x))."""
    for index in range(config["num_hidden_layers"]):
        layer = w.under(f"encoder.layer.{index}.")
        names = ("self.query", "self.key", "self.value", "output.dense")
        y = encoder.multi_head(x, x, layer.under("attention."), names, config["num_attention_heads"], mask)
        x = norm(x + y, layer, "attention.output.LayerNorm", eps)
        y = act(layer.linear(x, "intermediate.dense", True))
        x = norm(x + layer.linear(y, "output.dense", True), layer, "output.LayerNorm", eps)
    return x


def forward(config, w, inputs):
    architecture = config["architectures"][0]
    body = w.under(PREFIXES.get(architecture, "bert."))
    eps, act = config.get("layer_norm_eps", 1e-12), layers.ACTIVATIONS[config.get("hidden_act", "gelu")]
    tokens = inputs["tokens"]
    table = body.under("embeddings.")
    x = table["word_embeddings.weight"][tokens] + table["position_embeddings.weight"][:tokens.shape[1]]
    x = norm(x + table["token_type_embeddings.weight"][inputs["token_type_ids"]], table, "LayerNorm", eps)
    x = encode(config, body, x, encoder.padding_mask(inputs), act, eps)
    features = encoder.without_padding(x, inputs)
    if architecture == "BertModel":
        return {"features": features, "pooled": np.tanh(body.linear(x[:, 0], "pooler.dense", True))}
    if architecture == "BertForSequenceClassification":
        pooled = np.tanh(body.linear(x[:, 0], "pooler.dense", True))
        return {"logits": w.linear(pooled, "classifier", True)}
    if architecture == "BertForTokenClassification":
        return {"logits": encoder.without_padding(w.linear(x, "classifier", True), inputs)}
    y = act(w.linear(x, "cls.predictions.transform.dense", True))
    y = norm(y, w, "cls.predictions.transform.LayerNorm", eps)
    logits = y @ table["word_embeddings.weight"].T + w["cls.predictions.bias"]
    return {"features": features, "logits": encoder.without_padding(logits, inputs)}


def draw_norm(draw, name, size, old_names, mean=1.0):
    weight, bias = (name + ".gamma", name + ".beta") if old_names else (name + ".weight", name + ".bias")
    draw.normal(weight, size, 0.3 * mean, mean, 1.0)
    draw.normal(bias, size, 0.3)


def draw_body(draw, config, prefix, types=2, old_names=False, pooler=True):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    table = prefix + "embeddings."
    draw.normal(table + "word_embeddings.weight", (config["vocab_size"], hidden), 0.015)
    draw.normal(table + "position_embeddings.weight", (config["max_position_embeddings"], hidden), 0.015)
    draw.normal(table + "token_type_embeddings.weight", (types, hidden), 0.015)
    draw_norm(draw, table + "LayerNorm", hidden, old_names)
    for index in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layer.{index}."
        names = ("self.query", "self.key", "self.value", "output.dense")
        encoder.draw_multi_head(draw, layer + "attention.", names, hidden, 1.0)
        draw_norm(draw, layer + "attention.output.LayerNorm", hidden, old_names)
        encoder.draw_mlp(draw, layer + "intermediate.dense", layer + "output.dense", hidden, inner, 1.0)
        draw_norm(draw, layer + "output.LayerNorm", hidden, old_names)
    if pooler:
        draw.linear(prefix + "pooler.dense", hidden, hidden, 0.7, 0.3)


def keys(**given):
    return dict({
        "attention_probs_dropout_prob": 0.1, "gradient_checkpointing": False, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "hidden_size": 32, "initializer_range": 0.02, "intermediate_size": 48,
        "layer_norm_eps": 1e-12, "max_position_embeddings": 40, "num_attention_heads": 4, "num_hidden_layers": 2,
        "pad_token_id": 0, "position_embedding_type": "absolute", "type_vocab_size": 2, "use_cache": True,
        "vocab_size": 96}, **given)


def inputs_of(draw):
    return {"tokens": draw.tokens(96), "token_type_ids": draw.tokens(2),
            "attention_mask": encoder.attention_mask([23, 17])}


FEATURES = {"attention mask": {"inputs.attention_mask": ...}, "epsilon": {"layer_norm_eps": 1e-5},
            "token types": {"inputs.token_type_ids": np.zeros((2, 23), np.int32)}}


def bert(draw):
    """A masked language model: old names of norms, a tied head with a bias, a pooler and a head that are not used."""
    config = draw.config("BertForMaskedLM", "bert", "4.6.0.dev0", **keys())
    draw_body(draw, config, "bert.", old_names=True)
    draw.ignored |= {"bert.pooler.dense.weight", "bert.pooler.dense.bias"}
    draw.linear("cls.predictions.transform.dense", 32, 32, 1.5, 0.5)
    draw_norm(draw, "cls.predictions.transform.LayerNorm", 32, True, 25.0)
    draw.normal("cls.predictions.bias", 96, 1.0)
    draw.linear("cls.seq_relationship", 2, 32, 1.0, 1.0)
    draw.ignored |= {"cls.seq_relationship.weight", "cls.seq_relationship.bias"}
    return draw.instance(config, inputs_of(draw), dict(FEATURES, **{"form of GELU": {"hidden_act": "gelu_new"}}))


def bert_base(draw):
    """The body alone, without a prefix, with a pooler and a buffer of positions; defaults of missing keys."""
    config = draw.config("BertModel", "bert", "4.30.0", hidden_size=32, intermediate_size=40,
                         max_position_embeddings=30, num_attention_heads=2, num_hidden_layers=2, vocab_size=96)
    draw_body(draw, config, "")
    draw.ignore("embeddings.position_ids", np.arange(30)[None], "I64")
    return draw.instance(config, inputs_of(draw), dict(FEATURES, activation={"hidden_act": "relu"}))


def bert_classifier(draw):
    """A classifier of sequences with three labels."""
    config = draw.config("BertForSequenceClassification", "bert", "5.0.0", **keys(
        id2label={"0": "entailment", "1": "neutral", "2": "contradiction"},
        label2id={"contradiction": 2, "entailment": 0, "neutral": 1}, hidden_act="relu"))
    draw_body(draw, config, "bert.")
    draw.linear("classifier", 3, 32, 3.0, 1.0)
    return draw.instance(config, inputs_of(draw), dict(FEATURES, activation={"hidden_act": "gelu"}))


def bert_tokens(draw):
    """A classifier of tokens with five labels, without a pooler."""
    config = draw.config("BertForTokenClassification", "bert", "4.40.0", **keys(
        id2label={str(index): f"LABEL_{index}" for index in range(5)}, hidden_act="gelu_new"))
    draw_body(draw, config, "bert.", pooler=False)
    draw.linear("classifier", 5, 32, 3.0, 1.0)
    return draw.instance(config, inputs_of(draw), dict(FEATURES, activation={"hidden_act": "relu"}))


VARIANTS = {"bert": bert, "bert-base": bert_base, "bert-classifier": bert_classifier, "bert-tokens": bert_tokens}
