"""The method `llm`: asks a language model, step by step, which other steps a step needs.

`questions` words the questions and reads the replies strictly. `client` sends them to any
OpenAI-compatible `endpoint`, `cache` keeps the replies on disk, and `learner` puts these together.
Only the step names count, never the order in the recordings.
"""
