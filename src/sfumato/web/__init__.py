"""The collection server, what it is made of, and the client that speaks to it.

The server receives reports, keeps every one that it acknowledged, and never sees an answer. It needs the extra `server`
(`pip install 'sfumato[server]'`); nothing outside needs this room.
"""
