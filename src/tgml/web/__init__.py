"""What people and machines reach through a network: the live service, and its pages.

`service` follows many sessions at once over HTTP and keeps every observation in a database
before it answers. `pages` holds what browsers show: plain HTML, CSS and JavaScript, with no
build step and nothing loaded from elsewhere. Servers need the extra ``serve``.
"""
