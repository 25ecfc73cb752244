"""Where embeddings of key-steps come from: a sentence model, a user's files, a cache.

`sentences` embeds step names, `minilm` is the model that it uses by default, `files` reads
embeddings that somebody made with another model, `cache` keeps what has been computed.
"""
