// What tests ask of the modules in a page: laws by enumeration, draws word by word, and the pieces that interoperate.
// Nothing of it is shipped. Whole numbers beyond 2^53 and fractions travel as text.

import { base64, hex, unbase64, unhex, utf8 } from "../../browser/src/bytes.js";
import { blindingOf, isSigned, keyOf, readKey, unblinded } from "../../browser/src/blind_rsa.js";
import { answerProblems, drawCell, readForm } from "../../browser/src/forms.js";
import { chance } from "../../browser/src/numbers.js";
import { checkStudy, isWithin } from "../../browser/src/promises.js";
import { Ratio } from "../../browser/src/rationals.js";
import { Dice, FlipMask, ResidueSet, TwoLevelShift, categorical } from "../../browser/src/samplers.js";
import { hasX25519, openerOf, sealShare, shareBytes, shareInfo, shareText } from "../../browser/src/sealing.js";
import { packRow, reportBody, reportId, sealed, waveSecret } from "../../browser/src/submission.js";
import { ScriptedWords, SystemWords } from "../../browser/src/words.js";
import * as respondent from "../../browser/src/respondent.js";
import { DeviceMemory } from "../../browser/src/memory.js";
import { PageStorage } from "../../browser/src/storage.js";
import { Wallet } from "../../browser/src/wallet.js";
import { Server } from "../../browser/src/server.js";

/** What a case of the vectors draws with a dice. */
const SAMPLERS = {
  coin: (one, dice) => dice.coin(chance(one.chance)),
  below: (one, dice) => dice.below(BigInt(one.bound)),
  categorical: (one, dice) => categorical(dice, one.counts.map(BigInt)),
  shift: (one, dice) => new TwoLevelShift(new ResidueSet(one.favoured, one.modulus), chance(one.inside)).draw(dice),
  mask: (one, dice) => new FlipMask(one.length, chance(one.chance)).draw(dice),
};

/** Return what each script of words gives: the outcome and how many words it took; null where they end first. */
function drawn(one, scripts) {
  return scripts.map((script) => {
    const words = new ScriptedWords(script);
    try {
      const outcome = String(SAMPLERS[one.kind](one, new Dice(words, one.width)));
      return [outcome, script.length - words.left.length];
    } catch (error) {
      if (error instanceof RangeError && error.message.includes("no more words")) return null;
      throw error;
    }
  });
}

/** Every way in which coins fall and numbers are drawn, one after the other, with its exact probability. */
class Branches {
  constructor() {
    this.path = [];
    this.known = new Map();
  }

  coin(odds) {
    if (odds.above === 0n) return 0;
    if (odds.above === odds.below) return 1;
    return this.next(
      2,
      (side) => `${side ? "" : "not "}${odds}`,
      (side) => (side ? odds : new Ratio(odds.below - odds.above, odds.below)),
    );
  }

  below(bound) {
    return BigInt(
      this.next(
        Number(bound),
        () => `1 of ${bound}`,
        () => new Ratio(1n, bound),
      ),
    );
  }

  next(count, name, weight) {
    const at = this.at;
    this.at += 1;
    if (at === this.path.length) this.path.push({ side: 0, count });
    const { side } = this.path[at];
    this.weights.push([name(side), () => weight(side)]);
    return side;
  }

  /** Return a map from outcomes, as text, to their probabilities. */
  law(draw) {
    const found = new Map();
    do {
      this.at = 0;
      this.weights = [];
      const outcome = draw(this);
      const name = this.weights.map(([one]) => one).join(" ");
      if (!this.known.has(name))
        this.known.set(
          name,
          this.weights.reduce((product, [, weight]) => product.times(weight()), new Ratio(1n)),
        );
      const here = this.known.get(name);
      found.set(outcome, found.has(outcome) ? found.get(outcome).plus(here) : here);
      this.path.length = this.at;
      while (this.path.length > 0 && this.path.at(-1).side === this.path.at(-1).count - 1) this.path.pop();
      if (this.path.length > 0) this.path.at(-1).side += 1;
    } while (this.path.length > 0);
    return found;
  }
}

/** The same, word by word at a small width: every word at every draw, those that are drawn again left out. */
function wordLaw(draw, width) {
  const visit = (script) => {
    const words = new ScriptedWords(script);
    let asked = false;
    const dice = new Dice({ next: () => (words.left.length === 0 ? ((asked = true), fail()) : words.next()) }, width);
    const below = dice.below.bind(dice);
    dice.below = (bound) => {
      const before = words.left.length;
      try {
        return below(bound);
      } catch (error) {
        if (asked && before === 1) throw new Error("rejected");
        throw error;
      }
    };
    try {
      return new Map([[draw(dice), new Ratio(1n)]]);
    } catch (error) {
      if (error.message === "rejected") return undefined;
      if (!asked) throw error;
    }
    const laws = Array.from({ length: 2 ** width }, (_, word) => visit([...script, word])).filter(
      (law) => law !== undefined,
    );
    const sum = new Map();
    const share = new Ratio(1n, BigInt(laws.length));
    for (const law of laws)
      for (const [outcome, p] of law) sum.set(outcome, (sum.get(outcome) ?? new Ratio(0n)).plus(p.times(share)));
    return sum;
  };
  return visit([]);
}

function fail() {
  throw new RangeError("the script has no more words");
}

const key = ({ report, shifts }) => JSON.stringify([report, ...Object.values(shifts)]);

/** Group outcomes by their probability, so that little has to travel. */
function grouped(law) {
  const found = {};
  for (const [outcome, p] of law) (found[String(p)] ??= []).push(JSON.parse(outcome));
  return found;
}

function question(form) {
  return readForm(form).questions[0];
}

globalThis.device = {
  drawn,
  jointLaw(form, answer) {
    const one = question(form);
    return grouped(new Branches().law((dice) => key(drawCell(one, answer, dice))));
  },
  /** The law of the first sealed column, of an answer to its question. */
  sealedLaw(form, answer) {
    const one = readForm(form).sealed[0];
    return grouped(new Branches().law((dice) => key(drawCell(one, answer, dice))));
  },
  /** The first sealed column drawn with words of the system, so often. */
  sealedDraws(form, answer, count) {
    const one = readForm(form).sealed[0];
    const dice = new Dice(new SystemWords());
    return Array.from({ length: count }, () => drawCell(one, answer, dice));
  },
  wordLaw(form, answer, width) {
    const one = question(form);
    return grouped(wordLaw((dice) => key(drawCell(one, answer, dice)), width));
  },
  /** Draw with words of the system: how often each report came, and each shift of each level. */
  counts(form, answer, count) {
    const one = question(form);
    const dice = new Dice(new SystemWords());
    const reports = Array.from({ length: one.reports }, () => 0);
    for (let i = 0; i < count; i += 1) reports[drawCell(one, answer, dice).report] += 1;
    return reports;
  },
  /** Draw with 64-bit words that are written down: the report, the shifts, and how many words it took. */
  scripted(form, answers, script) {
    const words = new ScriptedWords(script);
    const dice = new Dice(words);
    const cells = readForm(form).columns.map((one) => drawCell(one, answers[one.of ?? one.id], dice));
    return { cells, used: script.length - words.left.length };
  },
  /** Look for words under which answers get these reports: those of each column, one after the other. */
  coupled(form, answers, reports) {
    return readForm(form).columns.flatMap((one) => {
      for (;;) {
        const used = [];
        const system = new SystemWords();
        const dice = new Dice({ next: () => (used.push(system.next()), used.at(-1)) });
        const cell = drawCell(one, answers[one.of ?? one.id], dice);
        if (cell.report === reports[one.id]) return used.map(String);
      }
    });
  },
  problems: (form, answers) => answerProblems(readForm(form), answers),
  /** What is wrong with a form: the code of its refusal, or what a report of its first question tells. */
  judged(form) {
    try {
      const { odds, sees } = question(form);
      return {
        odds: odds === null ? null : String(odds),
        sees: sees.map((one) => (one.odds === null ? null : String(one.odds))),
      };
    } catch (error) {
      return { code: error.code ?? error.message };
    }
  },
  /** What is wrong with a form of a study: the code of its refusal, or null. */
  async promised(form, study) {
    try {
      await checkStudy(readForm(form), { study }, form.fingerprint);
      return null;
    } catch (error) {
      return error.code ?? error.message;
    }
  },
  /** The rows that a new device sends, one after the other, for these answers. */
  async rows(form, answers, waves) {
    const memory = new DeviceMemory(new SystemWords(), new PageStorage());
    const found = [];
    for (let wave = 1; wave <= waves; wave += 1)
      found.push(hex((await respondent.drawAll(readForm({ ...form, wave }), answers, { memory })).row));
    return found;
  },
  isWithin: (odds, epsilon) => isWithin(chanceOrMore(odds), chanceOrMore(epsilon)),
  hasX25519,
  shareBytes,
  shareText: (shifts, moduli) => hex(shareText(shifts, moduli)),
  async seal(shifts, moduli, kem, publicKey, info) {
    return base64(await sealShare(shifts, moduli, kem, unbase64(publicKey), unbase64(info)));
  },
  async open(body, moduli, kem, privateKey, info) {
    return (await openerOf(kem, unbase64(privateKey)))(unbase64(body), moduli, unbase64(info));
  },
  shareInfo: (fingerprint, receiver, id) => hex(shareInfo(fingerprint, receiver, unhex(id))),
  packRow: (form, cells) => hex(packRow(readForm(form), cells)),
  reportId: async (secret) => hex(await reportId(unhex(secret))),
  waveSecret: async (secret, fingerprint, wave) => hex(await waveSecret(unhex(secret), fingerprint, wave)),
  /** The bytes of a report, and of a panel's, as text. */
  bodies({ id, row, shares, nonce, signature, token }) {
    const made = {
      id: unhex(id),
      row: unhex(row),
      shares: Object.fromEntries(Object.entries(shares).map(([n, b]) => [n, unhex(b)])),
    };
    const text = (bytes) => new TextDecoder().decode(bytes);
    return [
      text(reportBody(made, { credential: { nonce: unhex(nonce), signature: unhex(signature) } })),
      text(reportBody(made, { token })),
    ];
  },
  async sealedRow(form, cells, secret) {
    const made = await sealed(readForm(form), cells, unhex(secret));
    return {
      id: hex(made.id),
      row: base64(made.row),
      shares: Object.fromEntries(Object.entries(made.shares).map(([n, b]) => [n, base64(b)])),
    };
  },
  async blinded({ n, e, message, prefix, salt, factor, signed }) {
    const whole = (text) => BigInt(`0x${text}`);
    const plain = keyOf(whole(n), whole(e));
    const made = await blindingOf(plain, unhex(message), unhex(prefix), unhex(salt), whole(factor));
    const raw = signed === undefined ? undefined : (whole(signed) * made.inverse) % plain.modulus;
    return {
      blinded: hex(made.blinded),
      inverse: made.inverse.toString(16),
      signature: raw?.toString(16).padStart(2 * plain.length, "0"),
    };
  },
  async signed({ key: text, statement, nonce, salt, factor, signed }) {
    const read = await readKey(text);
    const made = await blindingOf(read, unhex(statement), unhex(nonce), unhex(salt), BigInt(`0x${factor}`));
    if (signed === undefined) return { blinded: hex(made.blinded), digest: read.digest };
    try {
      return { signature: hex(await unblinded(read, made, unhex(signed))) };
    } catch (error) {
      return { code: error.code };
    }
  },
  /** The reports that a new device gives, one after the other, to answers to the first question. */
  async answered(form, answers) {
    const memory = new DeviceMemory(new SystemWords(), new PageStorage());
    const read = readForm(form);
    const found = [];
    for (const answer of answers) {
      const made = await respondent.drawAll(read, { [read.questions[0].id]: answer }, { memory });
      found.push(made.cells[0].report);
    }
    return found;
  },
  isSigned: async (text, statement, nonce, signature, saltBytes) =>
    isSigned(await readKey(text), unhex(statement), unhex(nonce), unhex(signature), saltBytes),
  respondent,
  readForm,
  utf8,
  DeviceMemory,
  PageStorage,
  SystemWords,
  Wallet,
  Server,
  hex,
  base64,
};

function chanceOrMore(text) {
  const [n, d = "1"] = text.split("/");
  return new Ratio(BigInt(n), BigInt(d));
}
