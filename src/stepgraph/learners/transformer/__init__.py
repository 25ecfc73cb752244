"""The Task Graph Transformer: from embeddings of key-steps to the adjacency matrix.

`learner` holds the methods ``tgt-text`` and ``tgt-video``, `presets` the paper's own settings.
`model` is the network, `layers` its layers, `dataset` its training data, `fitting` its training by
the TGML loss, `trained` a trained network, its file and its answers. Embeddings come from
`sentence_embeddings` (by default from `minilm`) or from `embedding_files`.
"""
