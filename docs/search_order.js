// How the search of the documentation orders pages: guides come before decisions, which tell why
// something was chosen, and before the changelog. The numbers are those of Sphinx, and the function
// changes what it has computed for one page.
var Scorer = {
  score: ([docName, title, anchor, description, score]) => {
    if (/(^|\/)decisions\//.test(docName)) return score / 100;
    if (/(^|\/)CHANGELOG$/.test(docName)) return score / 10;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
