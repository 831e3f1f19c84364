"""How certain the order of a board is: paired comparisons, rank intervals, the verdict.

Pure arithmetic over what each task adds to the ranked value of each entry (`parts.TaskParts`).
One subject per file; docs/uncertainty.md explains each in plain words:

- `comparisons.compare` and `entry_comparisons.compare_metrics`: two entries
- `verdicts.verdict` and `verdict_sentences.sentences`: the leader and all others
- `rank_intervals.rank_intervals`: the ranks that each entry may have; for workers, as it takes
  0.3 seconds for 500 entries and 8 for 5 000
- `groups.statistical_groups`, `tasks.task_statistics`, `pareto.pareto_set`
"""
