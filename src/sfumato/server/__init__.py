"""The collection server, its pages, its stores and its client.

The server receives reports, keeps every one that it acknowledged, and never sees an answer. It needs the extra `server`
(`pip install 'sfumato[server]'`). Other packages do not depend on it.
"""
