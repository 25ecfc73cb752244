"""tgml learns how a procedure works from recordings of people doing it."""
