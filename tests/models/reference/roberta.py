"""RoBERTa ("RoBERTa", Liu et al., 2019): BERT whose positions start after the padding token."""
import numpy as np

from . import bert, encoder, layers


def forward(config, w, inputs):
    """Positions count tokens that are not padding, from pad_token_id + 1. Padding has the position pad_token_id."""
    body = w.under("roberta.")
    eps, act = config.get("layer_norm_eps", 1e-12), layers.ACTIVATIONS[config.get("hidden_act", "gelu")]
    tokens, pad = inputs["tokens"], config.get("pad_token_id", 1)
    is_token = tokens != pad
    positions = np.cumsum(is_token, axis=1) * is_token + pad
    table = body.under("embeddings.")
    x = table["word_embeddings.weight"][tokens] + table["position_embeddings.weight"][positions]
    x = encoder.norm(x + table["token_type_embeddings.weight"][0], table, "LayerNorm", eps)
    x = bert.encode(config, body, x, encoder.padding_mask(inputs), act, eps)
    if config["architectures"][0].endswith("ForSequenceClassification"):
        return {"logits": w.linear(np.tanh(w.linear(x[:, 0], "classifier.dense", True)), "classifier.out_proj", True)}
    y = encoder.norm(layers.gelu(w.linear(x, "lm_head.dense", True)), w, "lm_head.layer_norm", eps)
    logits = y @ table["word_embeddings.weight"].T + w["lm_head.bias"]
    return {"features": encoder.without_padding(x, inputs), "logits": encoder.without_padding(logits, inputs)}


def roberta(draw):
    """A masked language model. The second sequence has six padding tokens."""
    config = draw.config("RobertaForMaskedLM", "roberta", "4.17.0", **bert.keys(
        bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-05, max_position_embeddings=34, pad_token_id=1,
        type_vocab_size=1))
    bert.draw_body(draw, config, "roberta.", types=1, pooler=False)
    draw.ignore("roberta.embeddings.position_ids", np.arange(34)[None], "I64")
    draw.linear("lm_head.dense", 32, 32, 1.5, 0.5)
    draw.norm("lm_head.layer_norm", 32, 25.0, 0.3)
    draw.normal("lm_head.bias", 96, 1.0)
    mask = encoder.attention_mask([23, 17])
    tokens = np.where(mask > 0, 3 + draw.tokens(93), 1).astype(np.int32)
    features = {"attention mask": {"inputs.attention_mask": ...}, "epsilon": {"layer_norm_eps": ...},
                "first position": {"pad_token_id": 0}, "form of GELU": {"hidden_act": "gelu_new"}}
    return draw.instance(config, {"tokens": tokens, "attention_mask": mask}, features)


def xlm_roberta(draw):
    """A classifier of sequences with three labels. The second sequence has six padding tokens."""
    config = draw.config("XLMRobertaForSequenceClassification", "xlm-roberta", "4.44.0", **bert.keys(
        bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-05, max_position_embeddings=34, type_vocab_size=1,
        id2label={"0": "contradiction", "1": "neutral", "2": "entailment"}))
    del config["pad_token_id"]
    bert.draw_body(draw, config, "roberta.", types=1, pooler=False)
    draw.linear("classifier.dense", 32, 32, 0.7, 0.3)
    draw.linear("classifier.out_proj", 3, 32, 3.0, 1.0)
    mask = encoder.attention_mask([23, 17])
    tokens = np.where(mask > 0, 3 + draw.tokens(93), 1).astype(np.int32)
    features = {"attention mask": {"inputs.attention_mask": ...}, "epsilon": {"layer_norm_eps": 1e-4},
                "first position": {"pad_token_id": 0}}
    return draw.instance(config, {"tokens": tokens, "attention_mask": mask}, features)


VARIANTS = {"roberta": roberta, "xlm-roberta": xlm_roberta}
