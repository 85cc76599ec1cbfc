"""What the corpus records: one small function a case, in families."""
