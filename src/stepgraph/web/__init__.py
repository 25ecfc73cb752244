"""Two HTTP servers: the live service and the studio.

`service` follows many sessions at once and writes every observation to a database before it
answers. `studio` shows one graph on this machine and lets a person correct it. `pages` holds
their HTML, CSS and JavaScript, with no build step and nothing loaded from other sites. `http`,
`validation`, `security` and `server` are shared by both. Both need the extra ``serve``.
"""
