"""What every tool of the toolchain shares: spans, error codes, the caret printer, the command driver, files."""
