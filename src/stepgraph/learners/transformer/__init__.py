"""The Task Graph Transformer: from embeddings of key-steps to the adjacency matrix.

`model` is the network, `fitting` trains it by the TGML loss, `text` and `video` say where the
embeddings come from, `learner` holds the methods ``tgt-text`` and ``tgt-video``, `checkpoint` the
file of a trained model.
"""
