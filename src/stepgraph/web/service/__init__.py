"""The live service: sessions of people doing procedures, judged over HTTP as they happen.

A request becomes a command (`sessions`). One thread applies all waiting commands as one
transaction (`store`) and answers each request once the transaction is on disk. A session's
monitor is always rebuilt from its observations: here, after a restart, or in another process.
`schema` declares every request and answer, and `routes` lists every route. The checks (`app`)
and the description (`openapi`) follow from these two. `server` runs the service.
"""
