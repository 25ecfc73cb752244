"""The live service: sessions of people doing procedures, judged over HTTP as they happen.

A request becomes a command (`sessions`), one thread applies all commands that wait as one
transaction (`store`), and a request is answered when that is on disk. Observations are the only
truth: a session's monitor is made from them, here, after a restart, or in another process.
`schema` declares every request and answer, `routes` is the table of what is answered: both the
checks (`app`) and the description (`openapi`) follow from these two. `server` runs it.
"""
