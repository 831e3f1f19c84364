"""A small twin of the bundle of each platform."""

from __future__ import annotations

from tests.programs.twins import CODABENCH, CODALAB, EVALAI, Files


def below(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": text for name, text in files.items()}


COMPETITION = """
version: 2
title: Harbour words
description: Find the words.
terms: terms.md
registration_auto_approve: false
docker_image: codalab/codalab-legacy:py37
pages:
  - title: Overview
    file: overview.html
tasks:
  - index: 0
    name: Words
    scoring_program: scoring_program
    reference_data: reference_data
  - index: 1
    name: Final words
    scoring_program: scoring_program
    reference_data: final.zip
solutions:
  - index: 0
    path: solution
    tasks: [0]
phases:
  - index: 0
    name: Dev phase
    start: 2026-01-02
    end: 2126-02-03 12:00:00
    max_submissions_per_day: 5
    execution_time_limit: 60
    tasks: [0]
  - index: 1
    name: Final
    start: 3-4-2126
    tasks: [1]
leaderboards:
  - title: Results
    key: main
    submission_rule: Force_Best
    columns:
      - {title: Accuracy, key: accuracy, index: 0, sorting: desc, precision: 3}
      - title: Twice
        key: twice
        index: 1
        sorting: asc
        computation: sum
        computation_indexes: [0, 0]
      - {title: Hidden, key: hidden, index: 2, sorting: asc, hidden: true}
fact_sheet:
  method: {key: method, type: text, title: Method}
"""
CODABENCH_BUNDLE: Files = {
    "competition.yaml": COMPETITION,
    "terms.md": "Be *fair*.",
    "overview.html": "<h1>Words</h1><p>Find <b>all</b> of <a href='https://example.org'>them</a>.</p>"
    "<script>alert(1)</script>",
    **below("scoring_program", CODABENCH),
    "reference_data/truth.txt": "a b c d",
    "final.zip": "PK",
    "solution/answer.txt": "a b x d",
}
CODALAB_COMPETITION = """
title: Old words
description: From before
has_registration: true
html: {overview: overview.html, terms: terms.html}
phases:
  1: &first
    phasenumber: 1
    label: Development
    start_date: 2026-01-02
    scoring_program: program.zip
    reference_data: truth.zip
    max_submissions_per_day: 3
    leaderboard_management_mode: hide_results
  2:
    <<: *first
    phasenumber: 2
    label: Final
    start_date: 2126-02-03
    max_submissions: 2
leaderboard:
  leaderboards:
    RESULTS: &RESULTS {label: Results, rank: 1}
  columns:
    set1_score: {leaderboard: *RESULTS, label: Score, rank: 1, sort: desc, numeric_format: 2}
    Duration: {leaderboard: *RESULTS, label: Time, rank: 2, sort: asc}
    both:
      leaderboard: *RESULTS
      label: Both
      rank: 3
      computed: {operation: Avg, fields: "set1_score, Duration"}
"""
EVALAI_CONFIG = """
title: Odd challenge
short_description: Answer
description: templates/description.html
terms_and_conditions: templates/terms.html
evaluation_script: evaluation_script.zip
start_date: 2026-01-01 00:00:00
leaderboard:
  - id: 1
    schema:
      labels: ["Accuracy", "F1 score"]
      default_order_by: "F1 score"
      metadata: {"F1 score": {sort_ascending: false, description: x}}
challenge_phases:
  - id: 1
    name: Dev Phase
    codename: dev
    test_annotation_file: annotations/dev.json
    max_submissions_per_day: 5
    max_submissions_per_month: 50
    max_submissions: 500
    start_date: 1-1-2026
    end_date: 2126-05-31 23:59:59
    leaderboard_public: true
    showeceution_time: true
dataset_splits:
  - {id: 1, name: Dev, codename: dev}
  - {id: 2, name: Test, codename: test}
challenge_phase_splits:
  - {challenge_phase_id: 1, leaderboard_id: 1, dataset_split_id: 1, visibility: 3}
  - {challenge_phase_id: 1, leaderboard_id: 1, dataset_split_id: 2, visibility: 1}
"""
EVALAI_BUNDLE: Files = below(
    "odd-challenge-main",
    {
        "challenge_config.yaml": EVALAI_CONFIG,
        "templates/description.html": "<p>Answer.</p>",
        "templates/terms.html": "<p>Be fair.</p>",
        "annotations/dev.json": '{"q": 1}',
        **EVALAI,
    },
)
CODALAB_PROGRAM = CODALAB
