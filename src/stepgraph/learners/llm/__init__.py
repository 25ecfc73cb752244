"""A language model's opinion: for each step it is asked which of the others that step needs.

`question` words what is asked, `client` asks it of any OpenAI-compatible endpoint, `cache` keeps
the replies on disk, `answers` reads them strictly, and `learner` puts these together as the
method `llm`. Only the names of the steps count, never the order in which recordings show them.
"""
