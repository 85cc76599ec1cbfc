// Where chance comes from: words of 64 bits, of the system's generator for keys. There is no other source.

/** The width of a word, in bits. */
export const WIDTH = 64;

/** Words of the system. */
export class SystemWords {
  /** Return the next word, each of the 2^64 equally probable. */
  next() {
    return crypto.getRandomValues(new BigUint64Array(1))[0];
  }

  /** Return so many bytes. */
  bytes(count) {
    return crypto.getRandomValues(new Uint8Array(count));
  }
}

/** Words that a test has written down. */
export class ScriptedWords {
  constructor(words) {
    this.left = words.map(BigInt);
  }

  /** Return the next word; a script that is at its end says so. */
  next() {
    if (this.left.length === 0) throw new RangeError("the script has no more words");
    return this.left.shift();
  }
}
