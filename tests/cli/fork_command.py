"""Stands for the command in a shell: it is a fork of a process that has imported everything. See fork_server.py."""

import json
import os
import socket
import sys

asking = socket.socket(socket.AF_UNIX)
asking.connect(os.environ["SFUMATO_FORKS"])
request = {"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109  quick to import
socket.send_fds(asking, [json.dumps(request).encode()], [0, 1, 2])
code = asking.recv(1)
sys.exit(code[0] if code else 99)
