"""The paper's loss and Direct Optimization.

`loss` holds the equations, in torch, for any network that outputs an adjacency matrix; `batches`
and `pair_sums` prepare sequences for it. `direct_optimization` trains the matrix itself, in numpy:
`rows` holds the gradient and the training, `stopping` says when to stop.
"""
