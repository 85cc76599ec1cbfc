"""The pages that people see in a browser: plain functions that make HTML, in the reader's language."""
