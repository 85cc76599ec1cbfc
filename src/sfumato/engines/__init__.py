"""How rows are moved where one machine is not enough.

On one machine, rows come and go through :mod:`sfumato.files.row_streams`. Here are engines that have rows of their own.
"""
