"""Start-up logs of serving engines: text in, figures out. Pure; the text is untrusted."""
