"""Bytes, locks, tables and documents in, and canonical files out."""
