from sfumato.keys.key_documents import open_key, read_header, seal_key
from sfumato.keys.protection import Passphrase, PrivateKey, PublicKey, Unprotected, new_key_pair

__all__ = [
    "Passphrase",
    "PrivateKey",
    "PublicKey",
    "Unprotected",
    "new_key_pair",
    "open_key",
    "read_header",
    "seal_key",
]
