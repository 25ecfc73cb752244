"""A language model's opinion: for each step it is asked which of the others that step needs.

`questions` words what is asked and reads the replies strictly, `client` asks it of any
OpenAI-compatible `endpoint` over a `connection`, `cache` keeps the replies on disk, and `learner`
puts these together as the method `llm`. Only the names of the steps count, never the order in which
recordings show them.
"""
