"""The paper's loss and Direct Optimization.

`loss` holds the equations, in torch, for any network that outputs an adjacency matrix; `batches`
and `pair_sums` prepare sequences for it. `direct_optimization` trains the matrix itself, in numpy:
`gradient` is the same gradient without torch, `descent` the training, `stopping` when it ends.
"""
