"""Writes a byte-level tokenizer of 260 tokens, with three merges and the token <|end|>, which tokenizer_config.json names.
With the argument `chat`, adds the tokens <|im_start|> and <|im_end|> and the chat template of ChatML."""
import json
import sys

visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [byte for byte in range(256) if byte not in visible]
alphabet = {byte: chr(byte) for byte in visible} | {byte: chr(256 + place) for place, byte in enumerate(others)}
vocabulary = {alphabet[byte]: place for place, byte in enumerate([*visible, *others])}
for token in ["th", "the", alphabet[32] + "the"]:
    vocabulary[token] = len(vocabulary)
byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
tokenizer = {
    "version": "1.0",
    "added_tokens": [{"id": 259, "content": "<|end|>", "special": True, "normalized": False}],
    "pre_tokenizer": byte_level,
    "decoder": byte_level,
    "model": {"type": "BPE", "vocab": vocabulary, "merges": ["t h", "th e", alphabet[32] + " the"]},
}
config = {"eos_token": {"content": "<|end|>"}}
if "chat" in sys.argv:
    for token in ["<|im_start|>", "<|im_end|>"]:
        tokenizer["added_tokens"].append(
            {"id": 259 + len(tokenizer["added_tokens"]), "content": token, "special": True, "normalized": False})
    config["chat_template"] = "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>'}}"
json.dump(tokenizer, open("tokenizer.json", "w"))
json.dump(config, open("tokenizer_config.json", "w"))
