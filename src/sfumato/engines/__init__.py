"""Engines that publish and read tables too large for one machine.

Tables of one machine are read and written by :mod:`sfumato.files.row_streams`.
"""
