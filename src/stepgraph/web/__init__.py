"""What people and machines reach through a browser or a network: the studio and the live service.

`service` follows many sessions at once over HTTP and keeps every observation in a database
before it answers. `studio` shows one graph on this machine and lets a person correct it. `pages`
holds what browsers show: plain HTML, CSS and JavaScript, with no build step and nothing loaded
from elsewhere. `http`, `validation`, `security` and `server` are what the two share. They need
the extra ``serve``.
"""
