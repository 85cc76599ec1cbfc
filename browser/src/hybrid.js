// X-Wing, the hybrid of ML-KEM-768 and X25519, with private keys as key files of Sfumato have them: both keys beside
// each other, 64 bytes that ML-KEM's is made of and then X25519's, where X-Wing has 32 bytes that both are made of.

import { XWing } from "@hpke/hybridkem-x-wing";
import { HkdfSha256, X25519 } from "@hpke/dhkem-x25519";
import { createMlKem768, sha3_256 } from "mlkem";

const SEED_BYTES = 64;
const PRIVATE_BYTES = 96;
const LATTICE_BYTES = 1088;
const ENCAPSULATED_BYTES = 1120;
const BASE = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 9 : 0));
const LABEL = new TextEncoder().encode("\\.//^\\");

/** The KEM of the hybrid: it seals as X-Wing does, and opens with both private keys. */
export class HybridKem extends XWing {
  constructor() {
    super();
    this.privateKeySize = PRIVATE_BYTES;
  }

  async decap({ recipientKey, enc }) {
    const [raw, sent] = [new Uint8Array(await this.serializePrivateKey(recipientKey)), new Uint8Array(enc)];
    if (sent.length !== ENCAPSULATED_BYTES) throw new RangeError("no key of this kind");
    const lattice = await createMlKem768();
    const curve = new X25519(new HkdfSha256());
    const [, privateLattice] = lattice.deriveKeyPair(raw.slice(0, SEED_BYTES));
    const [own, other] = [raw.slice(SEED_BYTES), sent.slice(LATTICE_BYTES)];
    const parts = [
      lattice.decap(sent.slice(0, LATTICE_BYTES), privateLattice),
      new Uint8Array(await curve.derive(own, other)),
      other,
      new Uint8Array(await curve.derive(own, BASE)),
      LABEL,
    ];
    const hash = sha3_256.create();
    for (const part of parts) hash.update(part);
    return hash.digest().buffer;
  }
}
