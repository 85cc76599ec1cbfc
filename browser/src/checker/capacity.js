/** The capacity of a channel, enclosed by symmetry or by a witness. */
import { Ratio } from "../rationals.js";
import { Ends } from "./claims.js";
import { cachedLn, largest, lnOfInteger, log2, Near, ticks, total } from "./enclosures.js";
import { Refused } from "./outcomes.js";
import { ROOM } from "./phrases.js";
import { sum } from "./reading.js";

/** log2 K - H(U) if every residue is an input; that is an upper bound if some are not, and I(X;Y) a lower. */
export function capacityBySymmetry(facts) {
  const { channel } = facts;
  const full = log2(new Ratio(BigInt(channel.outputs))).minus(facts.randomness().lower);
  if (channel.isFull) return Ends.around(full);
  const below = facts.underNoPrior().mutualInformation();
  return new Ends(below.lower, full.atLeastZero(), below.room);
}

/**
 * Σ p(x)·D_x ≤ C ≤ max D_x, where D_x = D(P(.|x) ‖ q) and q is the law of reports under the witness p.
 *
 * With p = b/B, P(y|x) = n/D and q(y) = T/(B·D): D_x = (Σ_y n ln n - Σ_y n ln T)/D + ln B.
 */
export function capacityByWitness(channel, law) {
  const { whole, inputs, outputs } = channel;
  const mass = sum(law);
  const logs = channel.mixed(law).map((found) => (found ? cachedLn(found) : null));
  const [shared, ofWhole, ofBoth] = [mass, whole, mass * whole].map(lnOfInteger);
  const [divergences, sizes] = [[], []];
  for (let x = 0; x < inputs; x += 1) {
    const row = channel.row(x);
    let [low, high] = [0n, 0n];
    for (let y = 0; y < outputs; y += 1) {
      if (logs[y]) {
        low += row[y] * logs[y].low;
        high += row[y] * logs[y].high;
      } else if (row[y]) {
        throw new Refused("capacity_bits: its witness leaves out reports that are possible, so it proves nothing");
      }
    }
    const crossed = new Near(low, high).over(whole);
    const own = channel.rowLogs[x].over(whole);
    divergences.push(own.minus(crossed).plus(shared));
    // Σ P(y|x)(|ln P(y|x)| + |ln q(y)|), which doubles are rounded in proportion to.
    sizes.push(ofWhole.minus(own).plus(ofBoth).minus(crossed));
  }
  const lower = total(divergences.map((near, x) => near.times(law[x]))).over(mass);
  const size = ticks(largest(sizes).bits().high).plus(new Ratio(2n));
  const room = ROOM.plus(new Ratio(BigInt(inputs + outputs + 32), 1n << 52n).times(size));
  return new Ends(lower.bits().atLeastZero(), largest(divergences).bits().atLeastZero(), room);
}
