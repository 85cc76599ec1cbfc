/** The setting as a study file, so that the command can go on from here. */

/** Return the text, and what is to be said of it. */
export function studyFile(setting) {
  const { answers, people, publicEpsilon, analysts, share, goal } = setting;
  const lines = [
    'schema = "sfumato/study/2"',
    'name = "A survey"',
    `population = ${people}`,
    "",
    "[public]",
    `epsilon = ${publicEpsilon}`,
    ...analysts.flatMap((epsilon, i) => ["", "[[analysts]]", `name = "analyst-${i + 1}"`, `epsilon = ${epsilon}`]),
    "",
    "[[questions]]",
    'id = "question"',
    'text = "What is asked?"',
  ];
  if (answers === 2) {
    lines.push('kind = "yes-no"', `expected_share = ${share}`, `half_width = ${goal}`);
    return { text: `${lines.join("\n")}\n`, words: "" };
  }
  const names = Array.from({ length: answers }, (_, i) => `"answer ${i + 1}"`);
  lines.push('kind = "one-of-many"', "answers = [", ...inLines(names), "]");
  return {
    text: `${lines.join("\n")}\n`,
    words: "Of more than two answers it takes all as equally frequent, and plans for ± 5 points.",
  };
}

/** Six names a line. */
function inLines(names) {
  const lines = [];
  for (let i = 0; i < names.length; i += 6) lines.push(`  ${names.slice(i, i + 6).join(", ")},`);
  return lines;
}
