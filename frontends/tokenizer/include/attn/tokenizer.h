/* Tokenizers: text to tokens and back, by the file tokenizer.json of a published model.
 *
 * A token has a number, its id. Encoding has these steps, as the file specifies them:
 *
 *   1. Text that is not UTF-8 is repaired: each maximal invalid part becomes U+FFFD, as in the WHATWG encoding
 * standard.
 *   2. Added tokens, such as "<|endoftext|>", are cut out of the text, before or after it is normalised.
 *   3. The normalizer rewrites the text, and the pre-tokenizer splits it into pieces.
 *   4. The model (BPE, WordPiece, Unigram or WordLevel) maps each piece to ids.
 *   5. The post-processor adds special tokens, such as the one at the beginning of a text, if the caller requests them.
 *
 * The ids are those of the Rust library `tokenizers` 0.23. The entries `truncation` and `padding` of a file are not
 * applied: the caller chooses the length. BPE dropout, templates for pairs of texts, the pre-tokenizer UnicodeScripts,
 * and regular expressions with set operations are not supported; opening a file that requires one of them fails (pair
 * templates are ignored).
 *
 * Programs link this library alone (attnc::tokenizer in CMake). Any number of threads may call the functions of one
 * attn_tokenizer at once. */
#ifndef ATTN_TOKENIZER_H
#define ATTN_TOKENIZER_H

#include "attn/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_tokenizer attn_tokenizer;

/* Opens the file `path`, a tokenizer.json. Returns ATTN_BAD_FILE if the file cannot be read, is not JSON, or has an
 * entry that is wrong or not supported; the message has the place of the entry, what was found and what was expected:
 *
 *   tokenizer.json: pre_tokenizer.type: found 'Foo', expected one of BertPreTokenizer, ByteLevel, ...
 *
 * Returns ATTN_NO_MEMORY if there is too little memory. *tokenizer is null after an error. */
attn_code attn_tokenizer_open(const char *path, attn_tokenizer **tokenizer, attn_status *status);

/* As attn_tokenizer_open, for the content of a file in memory, which is not used after the call; `name` is the name of
 * the file in messages. */
attn_code attn_tokenizer_open_memory(const char *name, const void *content, size_t bytes, attn_tokenizer **tokenizer,
                                     attn_status *status);

/* Releases the tokenizer and its memory. Its streams have to be closed before. `tokenizer` may be null. */
void attn_tokenizer_close(attn_tokenizer *tokenizer);

/* Returns the size of the vocabulary with all added tokens: the largest id plus one; 0 for null. */
int32_t attn_tokenizer_size(const attn_tokenizer *tokenizer);

/* Returns the id of the token that is written `token` in the file, or -1. */
int32_t attn_tokenizer_id(const attn_tokenizer *tokenizer, const char *token);

/* Returns the token with this id as it is written in the file, or null if no token has this id. The text belongs to the
 * tokenizer. A token of byte-level BPE is written with one character for each byte. */
const char *attn_tokenizer_token(const attn_tokenizer *tokenizer, int32_t id);

/* Returns whether the id is a special token, which decoding can leave out. */
int32_t attn_tokenizer_is_special(const attn_tokenizer *tokenizer, int32_t id);

/* Flags of attn_tokenizer_encode, attn_tokenizer_decode and attn_token_stream_open. */
enum {
  ATTN_SPECIAL_TOKENS = 1 /* encode: the post-processor adds special tokens; decode: special tokens are in the text */
};

/* Writes the ids of the text, at most `capacity` of them, to `ids`, and their number to *count. If *count exceeds
 * `capacity`, only the first ids were written, and a call with more capacity writes all. `ids` may be null if
 * `capacity` is 0. The number of ids is at most the number of bytes for most tokenizers.
 *
 * Returns ATTN_UNSUPPORTED if the model has no token for a character and no unknown token, or if a regular expression
 * exceeds its limit of steps on this text; ATTN_NO_MEMORY if there is too little memory. *count is 0 after an error. */
attn_code attn_tokenizer_encode(const attn_tokenizer *tokenizer, const char *text, size_t bytes, int32_t flags,
                                int32_t *ids, size_t capacity, size_t *count, attn_status *status);

/* Writes the text of the ids, at most `capacity` bytes of it and without a zero at the end, to `text`, and its length
 * in bytes to *bytes, as attn_tokenizer_encode does. Ids without a token are left out. The text is UTF-8: bytes of
 * tokens that are not UTF-8 become U+FFFD. Returns ATTN_NO_MEMORY if there is too little memory. */
attn_code attn_tokenizer_decode(const attn_tokenizer *tokenizer, const int32_t *ids, size_t count, int32_t flags,
                                char *text, size_t capacity, size_t *bytes, attn_status *status);

/* A message of a conversation. The role is "system" (of the first message alone), "user" or "assistant". */
typedef struct attn_chat_message {
  const char *role;
  const char *text; /* UTF-8 */
  size_t bytes;     /* of the text */
} attn_chat_message;

/* Returns the name of the family of chat templates that a `chat_template` of tokenizer_config.json belongs to, such as
 * "chatml", "llama3.2" or "gemma"; or null if the template is null or belongs to none of them. Templates are recognised
 * by a text in them, not executed. The text of a family is that of the template for conversations without tools,
 * including the default text of the system and today's date, if the template adds them. */
const char *attn_chat_family(const char *chat_template);

/* Returns the names of all families, separated by ", ". */
const char *attn_chat_families(void);

/* Writes the ids of a conversation, up to where the next answer of the assistant begins, to `ids`, as
 * attn_tokenizer_encode does. `family` is a name that attn_chat_family returns. The special tokens are those of the
 * family. A message that contains the text of a special token, such as "<|im_end|>", is encoded with this token, so a
 * program has to remove these texts from messages that it does not trust. Returns ATTN_BAD_ARGUMENT for an unknown
 * family; ATTN_UNSUPPORTED for an unknown role, or for a system's message that is not the first. */
attn_code attn_tokenizer_encode_chat(const attn_tokenizer *tokenizer, const char *family,
                                     const attn_chat_message *messages, size_t message_count, int32_t *ids,
                                     size_t capacity, size_t *count, attn_status *status);

/* Decodes one token after another, as a model generates them. One thread at a time may use a stream. */
typedef struct attn_token_stream attn_token_stream;

/* Opens a stream that decodes tokens of `tokenizer`, which has to outlive it. *stream is null after an error. */
attn_code attn_token_stream_open(const attn_tokenizer *tokenizer, int32_t flags, attn_token_stream **stream,
                                 attn_status *status);

/* Adds a token. *text is the text that is complete with this token, and *bytes its length: it is empty if the token
 * ends within a character, whose remaining bytes are then in the next tokens. The text belongs to the stream, until the
 * next call. All texts together are the text of attn_tokenizer_decode, except that bytes which are not UTF-8 may become
 * more or fewer U+FFFD. */
attn_code attn_token_stream_add(attn_token_stream *stream, int32_t id, const char **text, size_t *bytes,
                                attn_status *status);

/* As attn_token_stream_add, for the end of the tokens: the bytes of an incomplete character become U+FFFD. Tokens that
 * are added later begin a new text. */
attn_code attn_token_stream_finish(attn_token_stream *stream, const char **text, size_t *bytes, attn_status *status);

/* Releases the stream; null is permitted. */
void attn_token_stream_close(attn_token_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
