/** The works that reasons cite. */

const SOURCES = {
  A: [
    "Ajaykrishnan Nageswaran, Prakash Narayan",
    "Data Privacy for a ρ-Recoverable Function",
    "IEEE Transactions on Information Theory",
    2019n,
  ],
  B: [
    "Antonious M. Girgis, Deepesh Data, Kamalika Chaudhuri, Christina Fragouli, Suhas Diggavi",
    "Successive Refinement of Privacy",
    "arXiv:2005.11651",
    2020n,
  ],
  C: [
    "Yuuya Yoshida, Man-Hong Yung, Masahito Hayashi",
    "Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
    "arXiv:1805.06278v1",
    2018n,
  ],
  D: [
    "Borzoo Rassouli, Fernando E. Rosas, Deniz Gündüz",
    "Data Disclosure under Perfect Sample Privacy",
    "IEEE Transactions on Information Forensics and Security",
    2020n,
  ],
  E: [
    "Genqiang Wu, Xianyao Xia, Yeping He",
    "Achieving Dalenius' Goal of Data Privacy with Practical Assumptions",
    "arXiv:1703.07474",
    2017n,
  ],
  AS19b: [
    "Mohammad A. Alhejji, Graeme Smith",
    "A Tight Uniform Continuity Bound for Equivocation",
    "arXiv:1909.00787",
    2019n,
  ],
  Bir46: [
    "Garrett Birkhoff",
    "Tres observaciones sobre el álgebra lineal",
    "Universidad Nacional de Tucumán, Revista, Serie A",
    1946n,
  ],
  Che52: [
    "Herman Chernoff",
    "A measure of asymptotic efficiency for tests of a hypothesis based on the sum of observations",
    "The Annals of Mathematical Statistics",
    1952n,
  ],
  IWK20: [
    "Ibrahim Issa, Aaron B. Wagner, Sudeep Kamath",
    "An operational approach to information leakage",
    "IEEE Transactions on Information Theory",
    2020n,
  ],
  McK04: [
    "Andrew L. McKellips",
    "Simple Tight Bounds on Capacity for the Peak-Limited Discrete-Time Channel",
    "IEEE International Symposium on Information Theory",
    2004n,
  ],
  Sha48: ["Claude E. Shannon", "A mathematical theory of communication", "Bell System Technical Journal", 1948n],
  Smith09: [
    "Geoffrey Smith",
    "On the foundations of quantitative information flow",
    "Foundations of Software Science and Computational Structures (FOSSACS)",
    2009n,
  ],
  "WOS+03": [
    "Tsachy Weissman, Erik Ordentlich, Gadiel Seroussi, Sergio Verdu, Marcelo J. Weinberger",
    "Inequalities for the L1 Deviation of the Empirical Distribution",
    "Hewlett-Packard Labs",
    2003n,
  ],
};
const CITATION = /\[([^[\]]+)\]/g;
const KEY = /^(?:[A-E]|[A-Z][A-Za-z]*\+?[0-9]{2}[a-z]?)$/;
const FIELDS = ["authors", "title", "venue", "year"];

/** The works that texts cite: of "[B, Lemma 6; Bir46]" B and Bir46. */
export function citedSources(texts) {
  const entries = texts.flatMap((text) => [...text.matchAll(CITATION)].flatMap(([, inside]) => inside.split(";")));
  const keys = entries.map((entry) => entry.split(",")[0].trim()).filter((key) => KEY.test(key));
  return new Map([...new Set(keys)].map((key) => [key, new Map(FIELDS.map((name, i) => [name, SOURCES[key][i]]))]));
}
