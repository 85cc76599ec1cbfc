// Credentials of a device, and what withdraws its reports (web/wallets.py says why): a credential is written down
// before its token is spent, and a secret before its report is sent, so that whoever is interrupted loses neither.

import { hex, sha256, unhex, utf8 } from "./bytes.js";
import { Kept } from "./storage.js";

const NAME = "sfumato/wallet/1";

export class Wallet {
  constructor(storage) {
    this.kept = new Kept(NAME, () => ({ schema: NAME, credentials: {}, secrets: {} }), storage);
  }

  /** Return what a token is spent for, or was; undefined where it is new. */
  async credential(fingerprint, token) {
    const found = this.kept.read().credentials[await nameOf(fingerprint, token)];
    if (found === undefined) return undefined;
    return {
      publicKey: found.public_key,
      nonce: unhex(found.nonce),
      blinded: unhex(found.blinded),
      inverse: BigInt(`0x${found.inverse}`),
      signature: found.signature === null ? undefined : unhex(found.signature),
    };
  }

  /** Write a credential down; the token itself is not kept, so that nobody spends it who finds the wallet. */
  async keepCredential(fingerprint, token, { publicKey, nonce, blinded, inverse, signature }) {
    const name = await nameOf(fingerprint, token);
    await this.kept.change((document) => {
      document.credentials[name] = {
        public_key: publicKey,
        nonce: hex(nonce),
        blinded: hex(blinded),
        inverse: inverse.toString(16),
        signature: signature === undefined ? null : hex(signature),
      };
    });
  }

  /** Return the secrets of what was sent to a study, in the order of sending. */
  secrets(fingerprint) {
    return (this.kept.read().secrets[fingerprint] ?? []).map(unhex);
  }

  async keepSecret(fingerprint, secret) {
    await this.kept.change(({ secrets }) => {
      secrets[fingerprint] = [...new Set([...(secrets[fingerprint] ?? []), hex(secret)])];
    });
  }

  async forgetSecret(fingerprint, secret) {
    await this.kept.change(({ secrets }) => {
      secrets[fingerprint] = secrets[fingerprint].filter((one) => one !== hex(secret));
    });
  }
}

async function nameOf(fingerprint, token) {
  return hex(await sha256(utf8(`${NAME} ${fingerprint} ${token}`)));
}
